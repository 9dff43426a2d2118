import { expect, it } from "@effect/vitest"
import { maxBlockedMillis } from "../../../../src/kernel/tools/maxBlockedMillis.ts"
import { findJspi } from "../../../../src/kernel/process/jspi.ts"
import { loadEngine } from "../../../../src/kernel/tools/jsExec/loadEngine.ts"
import { type EngineHost, Handle, QuickJs, Thrown } from "../../../../src/kernel/tools/jsExec/QuickJs.ts"

const jspi = await findJspi()

const make = async (host: Partial<EngineHost> = {}, suspends: typeof jspi = undefined): Promise<QuickJs> =>
  new QuickJs(
    await loadEngine(),
    {
      serve: () => undefined,
      pause: () => undefined,
      onGrowth: () => undefined,
      resolveModule: (_importer, specifier) => specifier,
      loadModule: () => "export default 1",
      onRejection: () => undefined,
      now: () => 0n,
      random: () => undefined,
      ...host,
    },
    suspends,
    16_777_216,
  )

it("values cross the border as copies", async () => {
  const engine = await make({
    serve: (args) =>
      args.map((arg) => arg instanceof Uint8Array ? `bytes ${arg.join()}` : `${typeof arg} ${String(arg)}`).join("; "),
  })
  const use = await engine.eval(
    "(host) => host('héllo', 1.5, true, undefined, new Uint8Array([1, 2]).buffer)",
    "test.js",
  )
  expect(engine.read(await engine.call(use, [engine.makeHostFunction()])))
    .toBe("string héllo; number 1.5; boolean true; undefined undefined; bytes 1,2")
  const echo = await engine.eval(
    "(value) => value instanceof ArrayBuffer ? [...new Uint8Array(value)].join() : typeof value + value",
    "test.js",
  )
  const results: Array<unknown> = []
  for (const value of ["\u20ac\ufeff", -0.5, false, null, undefined, Uint8Array.of(7, 8)]) {
    results.push(engine.read(await engine.call(echo, [value])))
  }
  expect(results).toEqual([
    "string\u20ac\ufeff",
    "number-0.5",
    "booleanfalse",
    "objectnull",
    "undefinedundefined",
    "7,8",
  ])
})

it.skipIf(jspi === undefined)("each call of the host gives way after it (needs JSPI)", async () => {
  const events: Array<string> = []
  const pause = async (): Promise<void> => {
    events.push("pause")
    await Promise.resolve()
    events.push("go on")
  }
  const engine = await make({
    serve: ([value]) => {
      events.push(String(value))
      return value === 2 ? Promise.resolve(2) : 1
    },
    pause,
  }, jspi)
  const use = await engine.eval("(host) => host(1) + host(2)", "test.js")
  expect(engine.read(await engine.call(use, [engine.makeHostFunction()]))).toBe(3)
  expect(events.slice(events.indexOf("1"))).toEqual(["1", "pause", "go on", "2", "pause", "go on"])
})

it.skipIf(jspi === undefined)("a long text that the host returns is made in turn (needs JSPI)", async () => {
  let pauses = 0
  const engine = await make({ serve: () => "\u20ac".repeat(1_000_000), pause: () => void pauses++ }, jspi)
  const use = await engine.eval("(host) => { const text = host(); return text.length + text[999_999] }", "test.js")
  pauses = 0
  expect(engine.read(await engine.call(use, [engine.makeHostFunction()]))).toBe("1000000\u20ac")
  expect(pauses).toBeGreaterThan(10)
})

it("exceptions are values, and promises are seen", async () => {
  const engine = await make()
  const thrown = await engine.eval("throw 'why'", "test.js")
  expect([thrown instanceof Thrown, engine.read(thrown)]).toEqual([true, "why"])
  const promise = await engine.eval("Promise.reject(3)", "test.js")
  expect([engine.promiseState(promise), engine.read(engine.promiseResult(promise))]).toEqual(["rejected", 3])
  expect(engine.read(await engine.eval("({})", "test.js"))).toBeInstanceOf(Handle)
  expect(engine.promiseState(thrown)).toBeUndefined()
})

it("where nothing can be suspended, a script is ended after a second", { timeout: 30_000 }, async () => {
  for (const code of ["for (;;);", "[].indexOf.call({ length: 2 ** 53 - 1 }, 1)"]) {
    const engine = await make()
    const started = performance.now()
    await expect(engine.eval(code, "test.js")).rejects.toThrow(
      `the script ran for ${maxBlockedMillis} ms without a wait`,
    )
    expect(performance.now() - started).toBeGreaterThan(maxBlockedMillis - 1)
  }
})
