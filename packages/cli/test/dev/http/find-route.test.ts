import { expect, it } from '@jest/globals';
import { findRoute } from '../../../src/dev/http/find-route.ts';

const routes = [
  '$default',
  'ANY /orders/{id}',
  'GET /{proxy+}',
  'GET /orders/{id}',
  'GET /orders/latest',
  'GET /orders/{id}/{rest+}',
].map((routeKey) => ({ routeKey }));

it.each([
  ['GET', '/orders/latest', 'GET /orders/latest', {}],
  ['GET', '/orders/a%20b', 'GET /orders/{id}', { id: 'a b' }],
  ['PUT', '/orders/1', 'ANY /orders/{id}', { id: '1' }],
  ['GET', '/orders/1/lines/2', 'GET /orders/{id}/{rest+}', { id: '1', rest: 'lines/2' }],
  ['GET', '/orders', 'GET /{proxy+}', { proxy: 'orders' }],
  ['GET', '/orders/', 'GET /{proxy+}', { proxy: 'orders/' }],
  ['GET', '/100%', 'GET /{proxy+}', { proxy: '100%' }],
  ['GET', '/', '$default', {}],
  ['POST', '/orders', '$default', {}],
])('%s %s takes the route %s', (method, path, routeKey, pathParameters) => {
  expect(findRoute(routes, method, path)).toMatchObject({ route: { routeKey }, pathParameters });
});

it('A request that matches no route has none', () => {
  expect(findRoute(routes.slice(1), 'POST', '/')).toBeUndefined();
});
