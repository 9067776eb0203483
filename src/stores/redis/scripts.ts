import { hash } from 'node:crypto';

/** A script of the server, with the digest by which it is called. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * Every script takes the rows as its keys, and of arguments the time (empty: the server's), the time after which it
 * is to do nothing (empty: never), and by how much rows outlive their retention. Then come the templates: what many rows of a
 * batch have written alike, once. Then the arguments of each row, with the number of its template and what is its own. It answers
 * its time, and one answer for each row: 1 for what is written, 0 for what was refused and has no row, the row of what was
 * refused or read, or the text of an error: what fails for one row is its own answer.
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
local answers = { now }
if ARGV[2] ~= '' and now > tonumber(ARGV[2]) then
  answers[2] = 'LATE'
  return answers
end
local tolerance = tonumber(ARGV[3])
local at = 4

local function add(answer)
  answers[#answers + 1] = failed or answer
  failed = nil
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
  local write = { base = base, fields = {}, removed = {} }
  if lasts ~= '' then
    write.lasts = string.format('%.0f', math.max(1, base + tonumber(lasts) + tolerance - now))
  end
  local fields = write.fields
  for _ = 1, tonumber(next_argument()) do
    fields[#fields + 1] = next_argument()
    fields[#fields + 1] = string.format('%.0f', base + tonumber(next_argument()))
  end
  for _ = 1, 2 * tonumber(next_argument()) do fields[#fields + 1] = next_argument() end
  for _ = 1, tonumber(next_argument()) do write.removed[#write.removed + 1] = next_argument() end
  write.shared = #fields
  return write
end

local templates = {}
for i = 1, tonumber(next_argument()) do templates[i] = next_template() end

local function next_write()
  local write = templates[tonumber(next_argument())]
  local fields = write.fields
  local length = write.shared + 2 * tonumber(next_argument())
  for i = write.shared + 1, length do fields[i] = next_argument() end
  write.length = length
  return write
end

local function fields_written(key, write)
  run('hset', key, unpack(write.fields, 1, write.length))
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

/** Writes rows whose keys have none. */
// rule: redis-first-claims
export const INSERT: Script = script(`
for _, key in ipairs(KEYS) do
  local write = next_write()
  local exists = run('exists', key)
  if failed then add() elseif exists == 1 then add(row_of(key)) else add(written(key, write)) end
end`);

/** Writes over rows that are still as they were read. */
// rule: redis-as-read
export const REPLACE: Script = script(`
for _, key in ipairs(KEYS) do
  local is_still = next_is_still(key)
  local write = next_write()
  if failed then add() elseif is_still then add(written(key, write)) else add(row_of(key)) end
end`);

/**
 * Changes rows that are IN_PROGRESS and of this owner, and whose lease ends no later than a time, where one is given. The
 * life of the row is written first: what a script has begun goes on when the memory is full, and a completion that
 * could not be stored would have its effect done again.
 */
// rule: redis-owner
export const CHANGE: Script = script(`
for _, key in ipairs(KEYS) do
  local owner = next_argument()
  local at_most = next_argument()
  local write = next_write()
  local stored = run('hmget', key, 'status', 'owner', 'leaseUntil')
  if failed then
    add()
  elseif stored[1] ~= 'IN_PROGRESS' or stored[2] ~= owner
    or (at_most ~= '' and (tonumber(stored[3]) or 0) > write.base + tonumber(at_most)) then
    add(row_of(key))
  else
    if write.lasts then run('pexpire', key, write.lasts) end
    if failed then add() else add(fields_written(key, write)) end
  end
end`);

export const READ: Script = script(`
for _, key in ipairs(KEYS) do add(row_of(key)) end`);

/** Deletes rows that are still as they were read. */
export const DELETE: Script = script(`
for _, key in ipairs(KEYS) do
  local is_still = next_is_still(key)
  if failed then add() elseif is_still then add(run('del', key)) else add(row_of(key)) end
end`);
