import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { $, OptionError, retry, run, Runner, shell, within } from "../../src/run/mod.ts"

let folder = ""
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "sluice-within-")))
  await mkdir(join(folder, "inner/deep"), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** In plain JavaScript nothing checks the types. */
const untyped = (u: unknown): ReturnType<typeof JSON.parse> => u

const show = () => shell`echo "$PWD:$A:$B"`.text()

it("applies its options to all commands of a function, nested, also after an await", async () => {
  const seen = await within({ cwd: folder, env: { A: "1" } }, async () => {
    const first = await show()
    await new Promise((resolve) => setTimeout(resolve, 1))
    const nested = await within({ cwd: "inner", env: { B: "2" } }, async () => {
      const own = await run("pwd", [], { cwd: "deep" }).text()
      return [await show(), own]
    })
    return [first, ...nested, await show()]
  })
  expect(seen).toEqual([`${folder}:1:`, `${folder}/inner:1:2`, `${folder}/inner/deep`, `${folder}:1:`])
  expect(await show()).toBe(`${process.cwd()}::`)
})

it("keeps concurrent functions apart", async () => {
  const names = ["one", "two", "three"]
  const seen = await Promise.all(names.map((name) => within({ env: { A: name } }, () => shell("echo $A").text())))
  expect(seen).toEqual(names)
})

it("overrides options of the runner, and is overridden by options of the command", async () => {
  const { $: own } = Runner.make({ env: { A: "runner", B: "runner" }, check: false })
  const command = () => own({ env: { C: "own" } })`sh -c ${"echo $A $B $C; exit 3"}`
  const result = await within({ env: { B: "within", C: "within" } }, command)
  expect([result.stdout, result.exitCode]).toEqual(["runner within own\n", 3])
})

it("returns the function's result, and refuses unknown options", () => {
  expect(within({ env: {} }, () => 5)).toBe(5)
  expect(() => within(untyped({ workingDirectory: "/" }), () => 5)).toThrow(OptionError)
})

it("retries only after a failing exit code", async () => {
  let tries = 0
  const flaky = () => $`sh -c ${`exit ${++tries < 3 ? 1 : 0}`}`
  expect((await retry(flaky, { maxAttempts: 5, delay: "1ms" })).ok).toBe(true)
  expect(tries).toBe(3)
  tries = -10
  await expect(retry(flaky, { maxAttempts: 2, delay: 1 })).rejects.toMatchObject({ exitCode: 1 })
  expect(tries).toBe(-8)
  let starts = 0
  const missing = () => {
    starts++
    return $`no-such-program-anywhere`
  }
  await expect(retry(missing, { delay: 1 })).rejects.toMatchObject({ _tag: "ShellFault" })
  expect(starts).toBe(1)
  await expect(retry(missing, { maxAttempts: 3, delay: 1, when: () => true })).rejects.toMatchObject({
    _tag: "ShellFault",
  })
  expect(starts).toBe(4)
})

it("rejects when it is aborted, also during a delay", async () => {
  const controller = new AbortController()
  const waiting = retry(() => $`false`, { maxAttempts: 100, delay: "1h", signal: controller.signal })
  setTimeout(() => controller.abort(new Error("enough")), 50)
  await expect(waiting).rejects.toThrow("enough")
  // Longer than the longest timer of the host, which would fire at once.
  const long = new AbortController()
  let tries = 0
  const months = retry(() => {
    tries++
    return $`false`
  }, { maxAttempts: 9, delay: "30d", maxDelay: Infinity, signal: long.signal })
  await $`sleep 0.1`
  long.abort(new Error("enough"))
  await expect(months).rejects.toThrow("enough")
  expect(tries).toBe(1)
  await expect(retry(() => $`true`, { maxAttempts: 0 })).rejects.toBeInstanceOf(OptionError)
  await expect(retry(() => $`true`, untyped({ times: 3 }))).rejects.toThrow(/unknown option/)
})
