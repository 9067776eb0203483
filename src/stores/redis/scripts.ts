import { hash } from 'node:crypto';

/** A Lua script, with the SHA-1 digest by which it is called. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * The arguments and the answer of every script. Its keys are the rows. Its arguments are:
 *
 * - the time (empty: the server's), the latest time at which the script still writes (empty: any), and by how
 *   many milliseconds rows outlive their retention;
 * - the number of templates, and each template: the fields that rows of this call have in common;
 * - for each row its template's number (left out if there is one template), the values of the template's own
 *   fields, and the values to compare the stored row with.
 *
 * The answer is the time, the number of rows that were written, and for each other row its index and one of:
 * the stored row, 0 for a missing row, or the text of an error. An error of one row does not stop the script.
 */
const COMMON = `
local failed = nil
local function run(command, ...)
  local answer = redis.pcall(command, ...)
  if type(answer) ~= 'table' or not answer.err then return answer end
  failed = answer.err .. " '" .. command .. "'"
  return nil
end

local now = tonumber(ARGV[1])
if now == nil then
  local time = run('time')
  if failed then return redis.error_reply(failed) end
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
if ARGV[2] ~= '' and now > tonumber(ARGV[2]) then return { now, 'LATE' } end
local tolerance = tonumber(ARGV[3])
local at = 4
local answers = { now, 0 }

local function add(index, answer)
  if failed == nil and answer == 1 then
    answers[2] = answers[2] + 1
  else
    answers[#answers + 1] = index
    answers[#answers + 1] = failed or answer
    failed = nil
  end
end

local function next_argument()
  local value = ARGV[at]
  at = at + 1
  return value
end

local function row_of(key)
  local row = run('hgetall', key)
  if not failed and #row == 0 then return 0 end
  return row
end

local function next_template()
  local base = tonumber(next_argument()) or now
  local lasts = next_argument()
  local at_most = next_argument()
  local fields, own, removed = {}, {}, {}
  for _ = 1, tonumber(next_argument()) do
    fields[#fields + 1] = next_argument()
    fields[#fields + 1] = string.format('%.0f', base + tonumber(next_argument()))
  end
  for _ = 1, 2 * tonumber(next_argument()) do fields[#fields + 1] = next_argument() end
  for _ = 1, tonumber(next_argument()) do removed[#removed + 1] = next_argument() end
  for _ = 1, tonumber(next_argument()) do
    fields[#fields + 1] = next_argument()
    fields[#fields + 1] = ''
    own[#own + 1] = #fields
  end
  return {
    fields = fields,
    own = own,
    removed = removed,
    lasts = lasts ~= '' and string.format('%.0f', math.max(1, base + tonumber(lasts) + tolerance - now)),
    lease_at_most = at_most ~= '' and base + tonumber(at_most)
  }
end

local templates = {}
for i = 1, tonumber(next_argument()) do templates[i] = next_template() end

local function next_write()
  local write = templates[1]
  if #templates > 1 then write = templates[tonumber(next_argument())] end
  for _, position in ipairs(write.own) do write.fields[position] = next_argument() end
  return write
end

local function fields_written(key, write)
  run('hset', key, unpack(write.fields))
  if not failed and #write.removed > 0 then run('hdel', key, unpack(write.removed)) end
  return 1
end

local function written(key, write)
  local answer = fields_written(key, write)
  if not failed and write.lasts then run('pexpire', key, write.lasts) end
  return answer
end

local function next_is_still(key)
  local stored = run('hmget', key, 'status', 'owner', 'leaseUntil', 'started')
  local is_still = not failed
  for i = 1, 4 do
    local expected = next_argument()
    if is_still and (stored[i] or '') ~= expected then is_still = false end
  end
  return is_still
end
`;

function script(body: string): Script {
  const text = `${COMMON.trim()}\n\n${body.trim()}\nreturn answers\n`;
  return { text, sha: hash('sha1', text) };
}

/** Writes rows whose keys are free. */
// rule: redis-first-claims
export const INSERT: Script = script(`
for i, key in ipairs(KEYS) do
  local write = next_write()
  local exists = run('exists', key)
  if failed then add(i) elseif exists == 1 then add(i, row_of(key)) else add(i, written(key, write)) end
end`);

/** Overwrites rows that are still as they were read. */
// rule: redis-as-read
export const REPLACE: Script = script(`
for i, key in ipairs(KEYS) do
  local write = next_write()
  local is_still = next_is_still(key)
  if failed then add(i) elseif is_still then add(i, written(key, write)) else add(i, row_of(key)) end
end`);

/**
 * Changes rows that are IN_PROGRESS and of this owner, if their lease ends by the time in the template, if
 * any. The TTL is written first: with full memory, Redis refuses only a script's first write, and a
 * completion must be stored completely.
 */
// rule: redis-owner
export const CHANGE: Script = script(`
for i, key in ipairs(KEYS) do
  local write = next_write()
  local owner = next_argument()
  local stored = run('hmget', key, 'status', 'owner', 'leaseUntil')
  if failed then
    add(i)
  elseif stored[1] ~= 'IN_PROGRESS' or stored[2] ~= owner
    or (write.lease_at_most and (tonumber(stored[3]) or 0) > write.lease_at_most) then
    add(i, row_of(key))
  else
    if write.lasts then run('pexpire', key, write.lasts) end
    if failed then add(i) else add(i, fields_written(key, write)) end
  end
end`);

export const READ: Script = script(`
for i, key in ipairs(KEYS) do add(i, row_of(key)) end`);

/** Deletes rows that are still as they were read. */
export const DELETE: Script = script(`
for i, key in ipairs(KEYS) do
  local is_still = next_is_still(key)
  if failed then add(i) elseif is_still then add(i, run('del', key)) else add(i, row_of(key)) end
end`);
