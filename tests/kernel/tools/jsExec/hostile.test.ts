import { expect, it } from "@effect/vitest"
import { findJspi } from "../../../../src/kernel/process/jspi.ts"
import { jsExec } from "../../../../src/kernel/tools/jsExec/jsExec.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"
import type { SandboxOptions } from "../../../../src/sandbox/Sandbox.ts"

const suspends = await findJspi() !== undefined

const run = async (script: string, options: SandboxOptions = {}): Promise<string> => {
  await using sandbox = await Sandbox.open({ programs: { "js-exec": jsExec }, timeout: "60 seconds", ...options })
  const { exitCode, stderr, stdout } = await sandbox.run(script, { check: false })
  return `${stdout}${stderr}[${exitCode}]`
}
const evaluate = (code: string): Promise<string> => run(`cat > code.js <<'END'\n${code}\nEND\njs-exec code.js`)

/** Scripts that never end, within native code of the engine or outside. */
const endless: Readonly<Record<string, string>> = {
  "a loop": "for (;;);",
  "a search in a sparse array": "[].indexOf.call({ length: 2 ** 53 - 1 }, 1)",
  "a join of a sparse array": "new Array(2 ** 32 - 1).join()",
  "a search in a long text": `const text = "a".repeat(4e7); (text + "b").indexOf("a".repeat(2e7) + "c")`,
  "a regular expression": `/(a+)+$/.test("a".repeat(40) + "b")`,
  "products of large numbers": "const n = 2n ** 100000n; for (;;) n * n",
  "jobs of promises": "(function next() { Promise.resolve().then(next) })()",
  "awaits": "(async () => { for (;;) await 1 })()",
  "a timer": "setInterval(() => {}, 1)",
  "a getter of an exception": "throw { get [Symbol.for('nodejs.util.inspect.custom')]() { for (;;); } }",
  "a hook of stacks": "Error.prepareStackTrace = () => { for (;;); }; null.x",
  "a setter of the prototype of arrays":
    `Object.defineProperty(Array.prototype, "0", { set() { for (;;); } }); console.log([1])`,
  "a sort": "const list = Array.from({ length: 1e6 }, () => Math.random()); for (;;) list.sort()",
  "copies": "const bytes = new Uint8Array(1e7); for (;;) bytes.slice()",
}

it.skipIf(!suspends)("other processes run while a script does not end, and can end it (needs JSPI)", {
  timeout: 200_000,
}, async () => {
  const wrong: Array<string> = []
  for (const [title, code] of Object.entries(endless)) {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const outcome = await run(`cat > code.js <<'END'
${code}
END
js-exec code.js & until ps -o args | grep -q '[c]ode.js'; do sleep 0.01; done
sleep 0.2; echo running; kill $!; wait $!`)
    clearInterval(timer)
    if (!outcome.startsWith("running\n") || !outcome.endsWith("[143]") || turns < 5) {
      wrong.push(`${title}: ${outcome}, ${turns} turns`)
    }
  }
  expect(wrong).toEqual([])
})

it("the timeout of a run ends a script", { timeout: 60_000 }, async () => {
  await using sandbox = await Sandbox.open({ programs: { "js-exec": jsExec } })
  const ended = sandbox.run("js-exec -e 'setInterval(() => {}, 1)'", { timeout: "300 millis" })
  await expect(ended).rejects.toMatchObject({ reason: { _tag: "Timeout" } })
})

it("a script holds no more memory than it may", { timeout: 60_000 }, async () => {
  expect(await evaluate("const list = []; for (;;) list.push(new Array(1e5).fill(1))")).toMatch(
    /out of memory[^]*\[1\]$/,
  )
  expect(await evaluate(`let text = "a"; for (;;) text += text + Math.random()`)).toMatch(
    /(out of memory|too long)[^]*\[1\]$/,
  )
  expect(await evaluate("const list = []; for (;;) list.push(Buffer.alloc(1e6))")).toMatch(/out of memory[^]*\[1\]$/)
  expect(await evaluate("try { 'a'.repeat(2 ** 30) } catch (error) { console.log(error.name) }")).toBe(
    "RangeError\n[0]",
  )
  expect(await evaluate("try { new ArrayBuffer(2 ** 40) } catch (error) { console.log(error.name) }")).toMatch(
    /^\w*Error\n\[0\]$/,
  )
})

it("the engines of all scripts share the memory for values", { timeout: 60_000 }, async () => {
  const script = "js-exec -e 'const kept = []; for (;;) kept.push(Buffer.alloc(1e6))'"
  expect(await run(script, { limits: { maxValueBytes: 8_000_000 } })).toMatch(/(out of memory|hold too much)[^]*\[1\]$/)
})

it("deep nesting ends a script, not the kernel", { timeout: 60_000 }, async () => {
  expect(await evaluate("function f() { f() } try { f() } catch (error) { console.log(error.name) }")).toBe(
    "RangeError\n[0]",
  )
  for (const code of [`JSON.parse("[".repeat(1e6))`, `eval("(".repeat(1e5))`, `new RegExp("(?:".repeat(1e5))`]) {
    expect(await evaluate(code)).toMatch(/(Error|nests calls or values too deeply)[^]*\[1\]$/)
  }
  expect(await evaluate("let list = []; for (let n = 0; n < 20000; n++) list = [list]; console.log(list)")).toBe(
    "[ [ [ [Array] ] ] ]\n[0]",
  )
})

it("a script reaches nothing of the host", { timeout: 60_000 }, async () => {
  const names = [
    "Deno",
    "Bun",
    "WebAssembly",
    "require.cache.host",
    "process.binding",
    "process.mainModule",
    "globalThis.window",
    "SharedArrayBuffer.host",
  ]
  expect(await evaluate(`console.log(${names.map((name) => `typeof ${name}`).join(", ")})`)).toBe(
    `${names.map(() => "undefined").join(" ")}\n[0]`,
  )
  expect(await evaluate("console.log((() => {}).constructor.constructor('return globalThis')() === globalThis)")).toBe(
    "true\n[0]",
  )
  expect(
    await evaluate(
      "console.log(console.log.constructor('return this')() === globalThis, Object.keys(process.stdout.write).length)",
    ),
  ).toBe("true 0\n[0]")
  expect(await evaluate("console.log(require('fs').readdirSync('/'))")).not.toContain("etc/shadow")
  expect(
    await evaluate(
      "try { require('child_process') } catch (error) { console.log(error.code, /files by their path, and assert/.test(error.message)) }",
    ),
  )
    .toBe("MODULE_NOT_FOUND true\n[0]")
})

/** Makes `host`, the function that calls the host: it is in the stack of what a module runs outside of its own function. */
const takeHost = `globalThis.take = () => {
  Error.prepareStackTrace = (error, frames) => frames.map((frame) => frame.getFunction())
  globalThis.host = new Error().stack.find((called) => called?.name === "host")
}
require("fs").writeFileSync("take.js", "}); globalThis.take(); (function () {")
require("./take.js")
const { host } = globalThis
`

it("calls of the host with wrong arguments return an error", { timeout: 60_000 }, async () => {
  const times = `const fs = require("fs"); for (const ms of [8.64e15, 1e300, -1e300, NaN]) {
  try { fs.utimesSync(".", ms / 1000, 0); console.log(fs.statSync(".").atimeMs) } catch (error) { console.log(error.code) }
}`
  const urls = `const x = "x".repeat(2e6), u = new URL("a:b")
try { u.search = x } catch (error) { console.log(error.code) }
console.log(URL.canParse("a:" + x.slice(1e6)), URL.canParse("a:" + x), URL.canParse("a", "a:/" + x))`
  const expected: Readonly<Record<string, string>> = {
    [`${takeHost}console.log(host("cwd"), host("none") < 0, host("read", 0, NaN, "x") < 0)`]:
      "/home/user true true\n[0]",
    [`${takeHost}host("exit", {})`]: "[255]",
    [`${takeHost}host("cwd", ...new Array(1000).fill("x".repeat(2e6))); console.log("served")`]: "served\n[0]",
    [`JSON.stringify = () => "x"; console.log(String(new URLSearchParams({ a: "1" })))`]: "a=1\n[0]",
    [`import("file://%").catch((error) => console.log(error.code))`]: "ERR_MODULE_NOT_FOUND\n[0]",
    [times]: "8640000000000000\nEINVAL\nEINVAL\nEINVAL\n[0]",
    [urls]: "ERR_INVALID_URL\ntrue false false\n[0]",
  }
  const outcomes: Record<string, string> = {}
  for (const code of Object.keys(expected)) outcomes[code] = await evaluate(code)
  expect(outcomes).toEqual(expected)
})

it("changed prototypes harm a script alone", { timeout: 60_000 }, async () => {
  expect(
    await evaluate(
      "JSON.parse = () => 1; Map.prototype.get = () => { throw 1 }; Array.prototype.push = null; require('fs').statSync('.')",
    ),
  ).toMatch(/\[[01]\]$/)
  expect(await evaluate("Object.prototype.then = (done) => done(1); Promise.resolve({}).then(console.log)")).toMatch(
    /\[[01]\]$/,
  )
  expect(await evaluate("Error.prototype.toString = () => { throw 1 }; throw new Error('x')")).toMatch(/\[1\]$/)
  expect(
    await evaluate(
      "const error = new Error('x'); Object.defineProperty(error, 'stack', { get() { throw 1 } }); throw error",
    ),
  ).toContain("cannot be shown")
})

it("too many timers, requests and rejections are refused", { timeout: 60_000 }, async () => {
  expect(
    await evaluate(
      "try { for (;;) setTimeout(() => {}, 1e6) } catch (error) { console.log(error.code); process.exit() }",
    ),
  ).toBe("EAGAIN\n[0]")
  expect(await evaluate("for (let n = 0; n < 2e4; n++) Promise.reject(n)")).toBe("Uncaught 0\n[1]")
  expect(
    await evaluate(
      "Promise.all(Array.from({ length: 200 }, () => fetch('http://a.example/'))).catch((error) => { console.log(error.code); process.exit() })",
    ),
  )
    .toMatch(/^(EAGAIN|undefined)\n\[0\]$/)
})

it("output goes through the pipe with its back-pressure", { timeout: 60_000 }, async () => {
  expect(
    await run(
      "js-exec -e 'for (let n = 0;; n++) console.log(n)' | head -n 2",
      suspends ? {} : { timeout: "30 seconds" },
    ),
  ).toMatch(/^0\n1\n/)
  expect(await run(`js-exec -e 'process.stdout.write("x".repeat(3e6)); console.error("e")' | wc -c`)).toBe(
    "3000000\ne\n[0]",
  )
  expect(await run("js-exec -e 'for (const n of [1, 2]) { console.log(n); console.error(n) }' 2>&1")).toBe(
    "1\n1\n2\n2\n[0]",
  )
})

it("wrong options and files are refused", async () => {
  expect(await run("js-exec --inspect; js-exec -e; js-exec no.js; js-exec a.ts; echo 1 > b.ts; js-exec b.ts")).toBe(
    `js-exec: bad option: --inspect; see js-exec --help
js-exec: -e requires an argument
js-exec: cannot open no.js: No such file or directory
js-exec: cannot run a.ts: it is TypeScript; compile it to JavaScript first
js-exec: cannot run b.ts: it is TypeScript; compile it to JavaScript first
[1]`,
  )
})
