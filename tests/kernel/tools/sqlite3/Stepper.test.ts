import { expect, it } from "@effect/vitest"
import { Code, OpenFlag } from "../../../../src/kernel/tools/sqlite3/Engine.ts"
import { loadSqlite } from "../../../../src/kernel/tools/sqlite3/loadSqlite.ts"
import { maxBlockedMillis } from "../../../../src/kernel/tools/maxBlockedMillis.ts"
import { makeBlockingStepper } from "../../../../src/kernel/tools/sqlite3/Stepper.ts"

it("a statement that blocks is interrupted after a second", { timeout: 30_000 }, async () => {
  const { capi, wasm } = await loadSqlite()
  const out = wasm.alloc(16)
  expect(capi.sqlite3_open_v2(":memory:", out, OpenFlag.readWrite | OpenFlag.create, "unix-none")).toBe(Code.ok)
  const db = wasm.peek32(out)
  // Each look at the clock takes a tenth of the time that a call has.
  let millis = 0
  const stepper = makeBlockingStepper(
    { capi, wasm, vfs: { installVfs: () => undefined } },
    { monotonic: () => BigInt(millis += maxBlockedMillis / 10) * 1_000_000n },
    db,
  )
  const sql = wasm.allocCString("with recursive n(i) as (select 1 union all select i+1 from n) select count(*) from n")
  expect(await stepper.prepare(sql, out, out + 8)).toBe(Code.ok)
  const statement = wasm.peek32(out)
  expect(await stepper.step(statement)).toBe(Code.interrupt)
  expect(millis).toBeGreaterThan(maxBlockedMillis)
  capi.sqlite3_finalize(statement)
  stepper.stop()
  capi.sqlite3_close_v2(db)
})
