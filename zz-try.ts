import { startConsoleDemo } from './src/console-demo/start-console-demo.ts';
import { peekDeadLetters, redriveDeadLetters, claimStatistics } from 'batchlatch/operations';
const t0=performance.now();
const demo = await startConsoleDemo({ onTrouble: console.error });
console.log('started', Math.round(performance.now()-t0), demo.services.map(s=>s.name+s.endpoint));
async function show(){
  const st = await claimStatistics(demo.store, {});
  console.log(Math.round(performance.now()-t0), JSON.stringify(st.counts), JSON.stringify(st.waitingMs), JSON.stringify(st.runningMs), JSON.stringify(st.attempts));
  for (const q of demo.queues) { const a=(await demo.sqs.getQueueAttributes({QueueUrl:q.url,AttributeNames:['All']})).Attributes!; console.log(q.name, a.ApproximateNumberOfMessages, a.ApproximateNumberOfMessagesNotVisible, a.ApproximateNumberOfMessagesDelayed); }
}
await show();
await new Promise(r=>setTimeout(r,4000)); await show();
await new Promise(r=>setTimeout(r,26000)); await show();
for (const q of demo.queues.filter(q=>q.isDeadLetter)) {
  const p = await peekDeadLetters(demo.sqs, {queueUrl:q.url, store: demo.store, key: demo.key, limit: 50});
  for (const m of p.messages) console.log(q.name, m.key, m.error?.name, m.error?.message, m.sentBy, m.claims.map(c=>c.status+' '+c.attempt+' '+c.lockedBy));
  const r = await redriveDeadLetters(demo.sqs, {queueUrl:q.url, store: demo.store, key: demo.key, which:'all', operator:'ann', reason:'fixed'});
  console.log(q.name, 'moved', r.moved, 'released', r.released, r.messages.map(m=>m.outcome+' '+m.why));
}
await new Promise(r=>setTimeout(r,8000)); await show();
for (const q of demo.queues.filter(q=>q.isDeadLetter)) {
  const p = await peekDeadLetters(demo.sqs, {queueUrl:q.url, store: demo.store, key: demo.key, limit: 50});
  for (const m of p.messages) console.log(q.name, m.key, m.error?.name, m.error?.message, m.sentBy, m.claims.map(c=>c.status+' '+c.attempt+' '+c.lockedBy));
}
const t1=performance.now(); await demo.stop(); console.log('stopped', Math.round(performance.now()-t1));
