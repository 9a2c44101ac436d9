// Operations of Google's Node client for gcs_node_client_test.py. Each output line names one.
import {createRequire} from 'node:module';
import {strict as assert} from 'node:assert';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const [endpoint, modules, folder] = process.argv.slice(2);
const {Storage} = createRequire(path.join(modules, 'package.json'))('@google-cloud/storage');
const storage = new Storage({apiEndpoint: endpoint, projectId: 'p', retryOptions: {maxRetries: 3}});
const [bucket] = await storage.createBucket('node-bucket', {location: 'EU'});
const MIB = 1 << 20;

async function small() {
  const file = bucket.file('dir/ü %?#.txt');
  await file.save('123456789', {resumable: false, validation: 'crc32c', metadata: {metadata: {k: 'v'}}});
  const [info] = await file.getMetadata();
  assert.deepEqual([info.crc32c, info.size, info.metadata], ['4waSgw==', '9', {k: 'v'}]);
  assert.equal((await file.download({validation: 'crc32c'})).toString(), '123456789');
  assert.equal((await file.download({start: 2, end: 4})).toString(), '345');
}

async function createdOnce() {
  const file = bucket.file('once', {preconditionOpts: {ifGenerationMatch: 0}});
  await file.save('1', {resumable: false});
  await assert.rejects(file.save('2', {resumable: false}), error => error.code === 412);
}

async function large() {
  const content = crypto.randomBytes(5 * MIB + 12345);
  const local = path.join(folder, 'large');
  fs.writeFileSync(local, content);
  const [file] = await bucket.upload(local, {destination: 'large', resumable: true, chunkSize: MIB, validation: 'crc32c'});
  assert.ok((await file.download({validation: 'crc32c'}))[0].equals(content));
}

async function listed() {
  const names = Array.from({length: 23}, (_, i) => `list/${String(i).padStart(3, '0')}`);
  for (const name of [...names, 'list/sub/1']) await bucket.file(name).save('', {resumable: false});
  const [all] = await bucket.getFiles({prefix: 'list/', maxResults: 10, autoPaginate: true});
  assert.ok(all.length > 0);
  const [files, , answer] = await bucket.getFiles({prefix: 'list/', delimiter: '/', autoPaginate: false});
  assert.deepEqual(files.map(file => file.name), names);
  assert.deepEqual(answer.prefixes, ['list/sub/']);
}

async function composed() {
  for (const name of ['part-0', 'part-1']) await bucket.file(name).save(name, {resumable: false});
  const [whole] = await bucket.combine(['part-0', 'part-1'], 'whole');
  assert.equal((await whole.download()).toString(), 'part-0part-1');
  const [copy] = await whole.copy(bucket.file('copy'));
  assert.equal((await copy.download()).toString(), 'part-0part-1');
  await whole.delete();
  assert.deepEqual(await whole.exists(), [false]);
}

async function rules() {
  await bucket.addLifecycleRule({action: {type: 'Delete'}, condition: {daysSinceCustomTime: 30}});
  const [info] = await bucket.getMetadata();
  assert.deepEqual(info.lifecycle.rule, [{action: {type: 'Delete'}, condition: {daysSinceCustomTime: 30}}]);
}

for (const act of [small, createdOnce, large, listed, composed, rules]) {
  await act();
  console.log(act.name);
}
