import type { TemplateResource, TemplateResources } from './resources.ts';
import { type Place, placeIn, setting } from './settings.ts';
import type { HttpAuthorizer, HttpRoute } from './template-model.ts';
import { asMembers, asText, type Members, member, referenceOf, type Value } from './values.ts';

/** The API that SAM makes for events that name none. */
const IMPLICIT_API = 'ServerlessHttpApi';
/** Where HTTP APIs look for a token by default. */
const USUAL_IDENTITY_SOURCE = '$request.header.Authorization';

/** Reads the routes of HTTP APIs in functions' events, and function URLs. */
export function readHttpRoutes(resources: TemplateResources): readonly HttpRoute[] {
  const lambdas = resources.ofType('AWS::Serverless::Function');
  return [
    ...lambdas.flatMap((lambda) => eventRoutes(lambda, resources)),
    ...lambdas
      .filter(({ value }) => asMembers(value['FunctionUrlConfig']) !== undefined)
      .map((lambda) => functionUrl(lambda, `${lambda.id}Url`, placeIn(lambda, ['FunctionUrlConfig']))),
    ...resources.ofType('AWS::Lambda::Url').flatMap((url) => {
      const lambda = resources.findFunction(url.value['TargetFunctionArn']);
      return lambda === undefined ? [] : [functionUrl(lambda, url.id, url)];
    }),
  ];
}

function eventRoutes(lambda: TemplateResource, resources: TemplateResources): readonly HttpRoute[] {
  return Object.entries(asMembers(lambda.value['Events']) ?? {}).flatMap(([name, event]) => {
    if (asText(member(event, 'Type')) !== 'HttpApi') return [];
    const place = placeIn(lambda, ['Events', name, 'Properties'], ['Events', name]);
    const given = place.value['ApiId'];
    const endpointId = given === undefined ? IMPLICIT_API : (referenceOf(given) ?? asText(given) ?? '');
    const api = apiOf(resources, endpointId);
    return [
      {
        id: `${lambda.id}.${name}`,
        logicalId: `${lambda.id}${name}`,
        name: `${lambda.name}, event ${name}`,
        line: place.line,
        ignore: lambda.ignore,
        functionId: lambda.id,
        kind: 'httpApi',
        endpointId,
        method: setting(place, ['Method'], asText, 'ANY'),
        path: setting(place, ['Path'], asText, '$default'),
        payloadFormat: setting(place, ['PayloadFormatVersion'], asText, '2.0'),
        authorizer: authorizerOf(member(place.value, 'Auth'), asMembers(api['Auth']) ?? {}),
        isStreaming: false,
        changes: CHANGES.filter((property) => api[property] !== undefined),
      },
    ];
  });
}

const CHANGES = ['CorsConfiguration', 'DefinitionBody', 'DefinitionUri', 'StageName', 'StageVariables'];

/** Returns an API's properties with those of `Globals`. */
function apiOf(resources: TemplateResources, id: string): Members {
  const globals = asMembers(resources.globals['HttpApi']) ?? {};
  const resource = resources.byId(id);
  const own = resource?.type === 'AWS::Serverless::HttpApi' ? resource.value : {};
  return { ...globals, ...own, Auth: { ...asMembers(globals['Auth']), ...asMembers(own['Auth']) } };
}

function authorizerOf(ofEvent: Value, ofApi: Members): HttpAuthorizer | undefined {
  const name = asText(member(ofEvent, 'Authorizer')) ?? asText(ofApi['DefaultAuthorizer']) ?? 'NONE';
  if (name === 'NONE') return undefined;
  const settings = member(ofApi['Authorizers'], name);
  const isJwt = ['JwtConfiguration', 'OpenIdConnectUrl'].some((one) => member(settings, one) !== undefined);
  return {
    name,
    kind: name === 'AWS_IAM' ? 'iam' : isJwt ? 'jwt' : 'other',
    identitySource: asText(member(settings, 'IdentitySource')) ?? USUAL_IDENTITY_SOURCE,
  };
}

function functionUrl(lambda: TemplateResource, id: string, place: Place): HttpRoute {
  const isSigned = asText(place.value['AuthType']) === 'AWS_IAM';
  return {
    id,
    logicalId: id,
    name: id,
    line: place.line,
    ignore: lambda.ignore,
    functionId: lambda.id,
    kind: 'functionUrl',
    endpointId: id,
    method: { value: 'ANY' },
    path: { value: '$default' },
    payloadFormat: { value: '2.0' },
    authorizer: isSigned ? { name: 'AWS_IAM', kind: 'iam', identitySource: '' } : undefined,
    isStreaming: asText(place.value['InvokeMode']) === 'RESPONSE_STREAM',
    changes: place.value['Cors'] === undefined ? [] : ['Cors'],
  };
}
