/**
 * Takes a lock a number of times, and half the time leaves it as a killed process would. Reports how often another
 * process held it at the same time.
 */
import { closeSync, openSync, renameSync, unlinkSync, writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { tryLock } from "../../../../src/journal/stores/ndjson/fileLock.ts"
import { currentHolder } from "../../../../src/journal/stores/ndjson/fileLock.ts"
import { loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { random } from "../../../support/random.ts"

const [path = "", seed = "", rounds = ""] = process.argv.slice(2)
const { int } = random(Number(seed))
const system = loadHostSystem()
let taken = 0
let left = 0
let together = 0

while (taken < Number(rounds)) {
  const attempt = tryLock(system, path)
  if (!attempt.taken) {
    if (int(0, 3) === 0) await setTimeout(int(0, 2))
    continue
  }
  taken++
  try {
    closeSync(openSync(`${path}.inside`, "wx"))
    if (int(0, 1) === 0) await setTimeout(int(0, 2))
    unlinkSync(`${path}.inside`)
  } catch {
    together++
  }
  if (int(0, 1) === 0) {
    attempt.lock.release()
    continue
  }
  left++
  const dead = { pid: 999_999_999, host: currentHolder(system, "").host, token: crypto.randomUUID() }
  writeFileSync(`${path}.dead-${seed}`, JSON.stringify(dead))
  renameSync(`${path}.dead-${seed}`, path)
}
console.log(JSON.stringify({ taken, left, together }))
