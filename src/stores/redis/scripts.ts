import { hash } from 'node:crypto';

/** A script of the server, with the digest by which it is called. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * Every script takes the rows as its keys, and of arguments the time (empty: the server's), the time after which it
 * is to do nothing (empty: never), by how much rows outlive their retention, and whether refused rows of the caller's own are
 * written again (for WAIT). Then come the arguments of each row. It answers its time, and one answer for each row: 1 for
 * what is written, 0 for what was refused and has no row, the row of what was refused, or the text of an error. What
 * fails for one row is its own answer, because every command that can fail is called with `pcall`.
 */
const COMMON = `
local now = tonumber(ARGV[1])
if now == nil then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local answers = { now }
if ARGV[2] ~= '' and now > tonumber(ARGV[2]) then
  answers[2] = 'LATE'
  return answers
end
local tolerance = tonumber(ARGV[3])
local touches = ARGV[4] == '1'
local at = 5

local function failure(answer)
  return type(answer) == 'table' and answer.err or nil
end

local function next_argument()
  local value = ARGV[at]
  at = at + 1
  return value
end

local function row_of(key)
  local row = redis.pcall('HGETALL', key)
  if failure(row) then return row.err end
  if #row == 0 then return 0 end
  return row
end

local function refused(key, owner)
  local row = row_of(key)
  if touches and type(row) == 'table' then
    for i = 1, #row, 2 do
      if row[i] == 'owner' and row[i + 1] == owner then redis.pcall('HSET', key, 'owner', owner) end
    end
  end
  return row
end

local function next_write()
  local base = tonumber(next_argument()) or now
  local lasts = next_argument()
  local write = { base = base, fields = {}, removed = {} }
  if lasts ~= '' then write.lasts = math.max(1, base + tonumber(lasts) + tolerance - now) end
  local fields = write.fields
  for _ = 1, tonumber(next_argument()) do
    fields[#fields + 1] = next_argument()
    fields[#fields + 1] = string.format('%.0f', base + tonumber(next_argument()))
  end
  for _ = 1, 2 * tonumber(next_argument()) do fields[#fields + 1] = next_argument() end
  for _ = 1, tonumber(next_argument()) do write.removed[#write.removed + 1] = next_argument() end
  return write
end

local function written(key, write)
  local answer = redis.pcall('HSET', key, unpack(write.fields))
  if failure(answer) then return answer.err end
  if #write.removed > 0 then redis.call('HDEL', key, unpack(write.removed)) end
  if write.lasts then redis.call('PEXPIRE', key, string.format('%.0f', write.lasts)) end
  return 1
end

local function next_is_still(key)
  local stored = redis.pcall('HMGET', key, 'status', 'owner', 'leaseUntil', 'started')
  local is_still = failure(stored) == nil
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
export const INSERT: Script = script(`
for _, key in ipairs(KEYS) do
  local owner = next_argument()
  local write = next_write()
  local answer
  if redis.call('EXISTS', key) == 1 then answer = refused(key, owner) else answer = written(key, write) end
  answers[#answers + 1] = answer
end`);

/** Writes over rows that are still as they were read. */
export const REPLACE: Script = script(`
for _, key in ipairs(KEYS) do
  local is_still = next_is_still(key)
  local owner = next_argument()
  local write = next_write()
  local answer
  if is_still then answer = written(key, write) else answer = refused(key, owner) end
  answers[#answers + 1] = answer
end`);

/**
 * Changes rows that are IN_PROGRESS and of this owner, and whose lease ends no later than a time, where one is given. The life
 * of the row is written before its fields: a script that has written may go on when the memory is full, and a completion that
 * could not be stored would have its effect done again.
 */
export const CHANGE: Script = script(`
for _, key in ipairs(KEYS) do
  local owner = next_argument()
  local at_most = next_argument()
  local write = next_write()
  local stored = redis.pcall('HMGET', key, 'status', 'owner', 'leaseUntil')
  local answer
  if failure(stored) then
    answer = stored.err
  elseif stored[1] ~= 'IN_PROGRESS' or stored[2] ~= owner
    or (at_most ~= '' and tonumber(stored[3] or 0) > write.base + tonumber(at_most)) then
    answer = refused(key, owner)
  else
    if write.lasts then redis.call('PEXPIRE', key, string.format('%.0f', write.lasts)) end
    answer = written(key, write)
  end
  answers[#answers + 1] = answer
end`);

/** Reads rows. */
export const READ: Script = script(`
for _, key in ipairs(KEYS) do answers[#answers + 1] = row_of(key) end`);

/** Deletes rows that are still as they were read. */
export const DELETE: Script = script(`
for _, key in ipairs(KEYS) do
  local answer
  if next_is_still(key) then answer = redis.call('DEL', key) else answer = row_of(key) end
  answers[#answers + 1] = answer
end`);
