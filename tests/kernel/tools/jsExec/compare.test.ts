import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { jsExec } from "../../../../src/kernel/tools/jsExec/jsExec.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"
import { wallsAround } from "../../walls.ts"

/** The program of the npm package `node`. */
const node = realpathSync(join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin/node"))
const walls = (folder: string): ReadonlyArray<string> => [...wallsAround(folder), "--ro-bind", node, "/opt/node"]
const hasNode = spawnSync("bwrap", [...walls(tmpdir()), "/opt/node", "--version"]).status === 0

interface Outcome {
  readonly stdout: string
  readonly exitCode: number
}

const prelude = `mkdir lib
printf 'exports.twice = (n) => n * 2\nexports.me = __filename.split("/").pop()\n' > lib/twice.js
printf 'export const half = (n) => n / 2\nexport default class Half {}\n' > lib/half.mjs
printf '{"name": "data", "list": [1, 2, 3]}' > lib/data.json
printf 'one\ntwo\nthree\n' > lines.txt
`

const real = (script: string): Outcome => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-node-"))
  try {
    const run = spawnSync(
      "bwrap",
      [...walls(folder), "bash", "-c", `node() { /opt/node "$@"; }\n${prelude}${script}`],
      {
        encoding: "utf8",
        env: { HOME: "/root", LC_ALL: "C.UTF-8", PATH: "/usr/bin:/bin", TZ: "UTC", WORD: "from the environment" },
      },
    )
    return { stdout: run.stdout, exitCode: run.status ?? -1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const ours = async (script: string): Promise<Outcome> => {
  await using sandbox = await Sandbox.open({
    programs: { node: jsExec },
    env: { WORD: "from the environment" },
    timeout: "60 seconds",
  })
  const { exitCode, stdout } = await sandbox.run(prelude + script, { check: false })
  return { stdout, exitCode }
}

/** Tests that scripts print and exit as with Node. */
const compare = (title: string, scripts: ReadonlyArray<string>): void => {
  it.skipIf(!hasNode)(`${title} (needs bubblewrap)`, { timeout: 240_000 }, async () => {
    const wrong: Array<string> = []
    for (const script of scripts) {
      const [one, two] = [real(script), await ours(script)]
      if (one.stdout !== two.stdout || one.exitCode !== two.exitCode) {
        wrong.push(`${script}\n- ${one.exitCode}\n${one.stdout}\n+ ${two.exitCode}\n${two.stdout}`)
      }
    }
    expect(wrong.join("\n\n")).toBe("")
  })
}

/** A script in a here-document. */
const file = (code: string, rest = "run.js", name = "run.js"): string =>
  `cat > ${name} <<'END'\n${code}\nEND\nnode ${rest}`

compare("prints values", [
  file(`console.log(1, -0, 1n, "a", 'it\\'s "x"', true, null, undefined, Symbol("s"), NaN, 1e21, [-0, 'q', "it's"])
console.log({ a: 1, b: "two", c: [1, 2, [3, [4, [5]]]], d: { e: { f: { g: 1 } } }, "key with space": 1, 2: 3 })`),
  file(`console.log([], {}, [undefined, null], [1, , 3, , ,], [[]], [{}], Array(3), new Array(120).fill(7))
console.log(Array.from({ length: 30 }, (_, i) => i * i), ["apple", "banana", "kiwi", "fig", "grape", "melon", "plum"])`),
  file(`console.log(new Map([["a", { b: 1 }], [{ k: 1 }, [1, 2]]]), new Set([1, "b", [3]]), new Map(), new Set())
console.log(new WeakMap(), new Date(0), new Date(NaN), /a+b/gi, new Number(3), new String("abc"), Object(true), Object(1n))`),
  file(`class A { x = 1; #y = 2; get z() { return 3 } }
class B extends A { constructor() { super(); this.own = [1] } }
console.log(new A(), new B(), A, B, class {}, function f() {}, () => {}, async () => {}, function* g() {}, Object.assign(function h() {}, { p: 1 }))
console.log({ get a() { return 1 }, set a(v) {}, get b() { return 1 }, set c(v) {} }, Object.create(null), Object.create({ a: 1 }), Object.create(B.prototype))
console.log({ [Symbol("k")]: 1, f() {}, g: class Q {} }, { [Symbol.toStringTag]: "Tag", x: 1 })`),
  file(`const a = { name: "a" }; a.self = a; a.list = [a, { a }]; console.log(a)
const m = new Map(); m.set("m", m); console.log(m, [m])
console.log(Promise.resolve(5), Promise.resolve({ a: 1 }), new Promise(() => {}))`),
  file(
    `console.log(Buffer.from("hello"), Buffer.alloc(60), new Uint8Array([1, 2, 3]), new Float64Array(2), new Uint8Array(0))
console.log([1.5, 22.25, 333.125, 4, 5, 6, 7, 8, 9, 10], ["a".repeat(30), "b".repeat(30), "c".repeat(30)])
console.log("long " + "x".repeat(100), ["long " + "x".repeat(100)], { t: "line\\nline two which is rather long so that it must be split\\nline three which is long too" })`,
  ),
  file(`console.log({ a: { b: { c: {} } } }, { a: { b: { c: { d: 1 } } } }, { a: [[[[]]]] }, { x: [[[1]]] })
console.log(Object.fromEntries(Array.from({ length: 12 }, (_, i) => ["key" + i, "value " + i])))
console.log([{ id: 1, name: "Ann", tags: ["x", "y"] }, { id: 2, name: "Bob", tags: [] }])`),
  file(
    `console.log("%s is %d years and %i, %f, %j %o %O %%", "Bob", 42.5, 42.9, "1.5", { a: 1 }, [1], { b: { c: {} } }, "rest", 7)
console.log("%s %s %s", "a", { b: 1 }, [1, [2]]); console.log("100%", 5); console.log("%c styled", "css"); console.log("%x", 1)
console.log("%s", null, undefined, 5n, Symbol("a"), () => 1, class Foo {})`,
  ),
  file(
    `console.log(new Proxy({ a: 1 }, {}), [new Date(1e12)], [/x/], [function n() {}], [Symbol.iterator], [null, undefined, true])
console.log(JSON.stringify({ a: [1, { b: 2 }], d: new Date(0), u: undefined, n: NaN }, null, 2))
console.log(process.argv.slice(2), "日本語", ["日本語", "é"], "tab\\there", ["tab\\there\\u0001"])`,
    "run.js x 'y z'",
  ),
  file(
    `console.table([{ a: 1, b: "x" }, { a: 2, c: true }]); console.table([[1, 2], [3, 4]]); console.table(["p", "q"]); console.table(5)
console.group("G"); console.log("in\\nside"); console.group(); console.log({ a: 1 }); console.groupEnd(); console.groupEnd(); console.log("out")
console.count(); console.count("x"); console.count(); console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 }); console.assert(true, "no")`,
  ),
  file(`const util = require("util")
console.log(util.inspect({ a: { b: { c: { d: {} } } } }, { depth: null }), util.inspect("a'b"), util.inspect(new Map([[1, 2]]), { compact: false }))
console.log(util.format("%s-%s", 1, "b", { c: 1 }), util.isDeepStrictEqual({ a: [1] }, { a: [1] }), util.types.isDate(new Date()))
class P { [util.inspect.custom](depth, options) { return "P<" + depth + ">" } }
console.log(new P(), [new P()], { p: { q: new P() } })`),
])

compare("has fs and path", [
  file(`const fs = require("fs"), path = require("path")
fs.mkdirSync("d/e/f", { recursive: true }); fs.writeFileSync("d/a.txt", "héllo"); fs.appendFileSync("d/a.txt", "!\\n"); fs.writeFileSync("d/e/b.bin", Buffer.from([0, 255, 128]))
console.log(fs.readdirSync("d"), fs.readdirSync("d", { recursive: true }), fs.readdirSync("d", { withFileTypes: true }).map((e) => [e.name, e.isDirectory(), e.isFile()]))
console.log(fs.readFileSync("d/a.txt", "utf8"), fs.readFileSync("d/e/b.bin"), fs.readFileSync("d/a.txt").length, fs.existsSync("nope"), fs.existsSync("d"))
const s = fs.statSync("d/a.txt"); console.log(s.size, s.isFile(), s.isDirectory(), s.mtime instanceof Date, typeof s.mtimeMs, (s.mode & 0o777).toString(8))
fs.copyFileSync("d/a.txt", "d/c.txt"); fs.renameSync("d/c.txt", "d/z.txt"); fs.symlinkSync("a.txt", "d/l"); console.log(fs.readlinkSync("d/l"), fs.lstatSync("d/l").isSymbolicLink(), fs.readFileSync("d/l", "latin1"))
fs.chmodSync("d/z.txt", 0o600); console.log((fs.statSync("d/z.txt").mode).toString(8)); fs.cpSync("d", "copy", { recursive: true }); console.log(fs.readdirSync("copy"))
fs.unlinkSync("d/z.txt"); fs.rmSync("d", { recursive: true }); fs.rmSync("d", { force: true }); console.log(fs.existsSync("d"), path.resolve("x/../y") === path.join(process.cwd(), "y"))`),
  file(`const fs = require("fs")
for (const run of [
  () => fs.readFileSync("nope"), () => fs.readdirSync("nope"), () => fs.mkdirSync("lib"), () => fs.rmdirSync("lib"), () => fs.unlinkSync("nope"), () => fs.readFileSync("lib"),
  () => fs.statSync("nope"), () => fs.renameSync("nope", "b"), () => fs.copyFileSync("nope", "b"), () => fs.writeFileSync("no/such/file", ""), () => fs.rmSync("nope"), () => fs.accessSync("nope"),
  () => fs.openSync("lines.txt", "wx"), () => fs.readFileSync({}), () => fs.readFileSync("lines.txt", "nope"), () => fs.mkdirSync("lines.txt/x", { recursive: true }), () => fs.readlinkSync("lib"),
]) try { console.log(run()) } catch (e) { console.log(e.name, e.code, e.syscall, e.errno, e.code?.startsWith("ERR_") ? "" : e.message) }`),
  file(`const { promises: fs, constants } = require("fs"), again = require("node:fs/promises")
const main = async () => {
  await fs.writeFile("p.txt", "promised"); console.log(await fs.readFile("p.txt", "utf8"), await again.readdir("lib"), (await fs.stat("p.txt")).size)
  try { await fs.readFile("nope") } catch (e) { console.log(e.code) }
  await fs.access("p.txt", constants.R_OK); await fs.rm("p.txt"); await fs.access("p.txt").catch((e) => console.log(e.message))
  require("fs").readFile("lines.txt", "utf8", (error, text) => console.log(error, text.length, require("fs").readFile("nope", (error) => console.log(error.code))))
}
main()`),
  file(`const fs = require("fs"); const fd = fs.openSync("lines.txt", "r+"); const b = Buffer.alloc(8)
console.log(fs.readSync(fd, b, 0, 3), b, fs.readSync(fd, b, 2, 3, 4), b.toString("latin1"), fs.readSync(fd, b), b.toString()); fs.writeSync(fd, "END", 0); fs.writeSync(fd, Buffer.from("xy"), 0, 1, 5); fs.ftruncateSync(fd, 9); fs.closeSync(fd)
console.log(JSON.stringify(fs.readFileSync("lines.txt", "utf8"))); try { fs.readSync(fd, b) } catch (e) { console.log(e.code) }
const t = fs.mkdtempSync("tmp-"); console.log(t.length, fs.statSync(t).isDirectory()); fs.utimesSync("lines.txt", 10, 20.5); console.log(fs.statSync("lines.txt").mtimeMs); fs.writeSync(1, "direct\\n")`),
  file(`const p = require("path")
for (const x of ["/a/b/c.txt", "a", "", ".", "..", "/", "a/", "/a", "a/b/", ".bashrc", "a.b.c", "x/.y", "//a//b/../c/.", "../..", "a/../.."]) console.log(JSON.stringify(x), p.dirname(x), p.basename(x), p.extname(x), p.normalize(x), p.isAbsolute(x), p.parse(x))
console.log(p.join("a", "..", "..", "b"), p.join(), p.join("/a", "/b"), p.resolve("/a", "b", "../c"), p.resolve("/a", "/b"), p.relative("/a/b/c", "/a/d"), p.relative("/a", "/a"), p.basename("a.js", ".js"), p.format({ dir: "/x", name: "y", ext: ".z" }), p.sep, p.posix === p)
try { p.join(1) } catch (e) { console.log(e.name, e.code, e.message) }`),
])

compare("has modules", [
  file(`const { twice, me } = require("./lib/twice"), data = require("./lib/data.json")
console.log(twice(4), me, data, require("./lib/data") === data, require.main === module, typeof require.resolve, __filename.endsWith("/run.js"), this === module.exports)
try { require("./lib/none") } catch (e) { console.log(e.code) } try { require("left-pad") } catch (e) { console.log(e.code) }
console.log(Object.keys(require.cache).length, module.children.length >= 0, typeof exports); exports.a = 1; console.log(module.exports)`),
  file(
    `import Half, { half } from "./lib/half.mjs"; import * as ns from "./lib/half.mjs"; import twice from "./lib/twice.js"; import data from "./lib/data.json" with { type: "json" }
import fs, { readFileSync, existsSync } from "node:fs"; import { join } from "path"; import { readFile } from "fs/promises"; import { setTimeout as wait } from "timers/promises"
console.log(half(8), Half.name, ns, twice.twice(2), data.name, fs.readFileSync === readFileSync, existsSync("nope"), join("a", "b"), import.meta.url.startsWith("file:///"), import.meta.filename.endsWith("run.mjs"), typeof require, this)
await wait(1); console.log((await readFile("lines.txt", "utf8")).length); const late = await import("./lib/half.mjs"); console.log(late.half === half)
await import("./none.mjs").catch((e) => console.log(e.code)); await import("left-pad").catch((e) => console.log(e.code)); export const x = 1`,
    "run.mjs",
    "run.mjs",
  ),
  `printf '{"type": "module"}' > package.json; echo 'import { half } from "./lib/half.mjs"; console.log(half(2)); export {}' > a.js; node a.js; echo 'console.log(typeof module)' > b.cjs; node b.cjs`,
  `echo 'import { half } from "./lib/half.mjs"; console.log(half(3))' > c.js; node c.js 2>/dev/null; echo 'console.log(await 7)' | node --input-type=module; node -e 'console.log(typeof require, require("path").basename("/a/b"), typeof module, process.argv.length)' x y`,
  `node -p '[1, 2].map((x) => x * 2)'; node -p '"text"'; node -p 'process.argv.slice(1)' a b; echo 'console.log("from stdin", process.argv.slice(2))' | node - p q; echo 'console.log(5)' | node; node -e 'var a = 1; console.log(globalThis.a, this === globalThis)'`,
  `cat > circ1.js <<'END'
exports.early = 1; const two = require("./circ2"); exports.late = two.seen
END
echo 'const one = require("./circ1"); exports.seen = one.early + ":" + one.late' > circ2.js; node -e 'console.log(require("./circ1"))'; printf '#!/usr/bin/env node\nconsole.log("hash bang")\n' > h.js; node h.js`,
])

compare("has process, timers and events", [
  file(
    `process.on("exit", (code) => console.log("exit", code, process.exitCode)); process.on("beforeExit", () => console.log("before")); console.log(process.env.WORD, process.platform, typeof process.pid, process.argv.length, process.cwd() === __dirname)
process.stdout.write("no newline"); process.stdout.write("\\n"); process.nextTick(() => console.log("tick")); process.exitCode = 3; process.chdir("lib"); console.log(require("fs").existsSync("data.json"), typeof process.hrtime.bigint(), process.uptime() > 0)`,
  ),
  file(
    `const later = () => { setTimeout(() => { Promise.resolve().then(() => console.log("between")); console.log("first") }, 20); setTimeout(() => console.log("second"), 20) }
const timer = setInterval(() => { console.log("interval"); if (++n === 3) { clearInterval(timer); setTimeout((a, b) => { console.log("timeout", a, b); later() }, 1, 1, 2) } }, 2); let n = 0
clearTimeout(setTimeout(() => console.log("never"), 1)); Promise.resolve().then(() => console.log("micro")); queueMicrotask(() => console.log("queued")); console.log("sync"); setTimeout(() => {}, 1e6).unref()`,
  ),
  `node -e 'process.exit(7)'; echo $?; node -e 'throw new Error("no")' 2>/dev/null; echo $?; node -e 'Promise.reject(1)' 2>/dev/null; echo $?; node -e 'process.on("uncaughtException", (e) => console.log("caught", e.message)); setTimeout(() => console.log("later"), 1); throw new Error("x")'; echo $?; node nope.js 2>/dev/null; echo $?; node -e '(' 2>/dev/null; echo $?; node -e 'try { process.exit(4) } finally { console.log("never") }'; echo $?; node --input-type=module -e 'await new Promise(() => {})' 2>/dev/null; echo $?; node -e 'const p = Promise.reject(2); setTimeout(() => p.catch(() => {}), 1)' 2>/dev/null; echo $?`,
  `printf 'a\nb\nc' | node -e 'let t = ""; process.stdin.on("data", (d) => t += d).on("end", () => console.log(t.split("\n")))'; printf 'héllo\nwörld\n' | node -e 'const rl = require("readline").createInterface({ input: process.stdin }); rl.on("line", (l) => console.log("<" + l + ">")).on("close", () => console.log("closed"))'; printf 'x\ny\n' | node -e 'const fs = require("fs"); console.log(fs.readFileSync(0, "utf8").length, fs.readFileSync("/dev/stdin").length)'; printf '1\n2\n' | node --input-type=module -e 'import rl from "node:readline"; for await (const line of rl.createInterface({ input: process.stdin })) console.log(Number(line) + 1)'; printf '{"a":1}' | node -e 'process.stdin.setEncoding("utf8"); (async () => { let s = ""; for await (const c of process.stdin) s += c; console.log(JSON.parse(s)) })()'`,
  file(`const EventEmitter = require("events"); const e = new EventEmitter()
e.on("x", (...a) => console.log("on", a)); e.once("x", () => console.log("once")); e.prependListener("x", () => console.log("first")); console.log(e.emit("x", 1, 2), e.emit("x"), e.emit("y"), e.listenerCount("x"), e.eventNames())
e.removeAllListeners("x"); console.log(e.emit("x")); try { e.emit("error", new Error("boom")) } catch (x) { console.log(x.message) } EventEmitter.once(e, "z").then(console.log); e.emit("z", 5); class Mine extends EventEmitter {} console.log(new Mine() instanceof EventEmitter)`),
  file(
    `const assert = require("assert"); assert(true); assert.equal(1, "1"); assert.deepStrictEqual({ a: [1, new Map([[1, 2]])] }, { a: [1, new Map([[1, 2]])] }); assert.throws(() => { throw new TypeError("bad") }, /bad/); assert.throws(() => { throw new TypeError("bad") }, TypeError); assert.throws(() => { throw new TypeError("bad") }, { name: "TypeError", message: "bad" })
for (const run of [() => assert.strictEqual(1, 2), () => assert.ok(0, "zero"), () => assert.fail("f"), () => assert.deepEqual([1], [2], "differ"), () => assert.throws(() => {})]) try { run() } catch (e) { console.log(e.name, e.code, e.message, e instanceof assert.AssertionError, e instanceof Error) }
assert.rejects(Promise.reject(new Error("r")), /r/).then(() => console.log("rejected"))`,
  ),
])

compare("has bytes and the web platform", [
  file(
    `const b = Buffer.from("héllo wörld"); console.log(b.toString("hex"), b.toString("base64"), b.length, Buffer.byteLength("é"), Buffer.from("aGk=", "base64").toString(), Buffer.from("6869", "hex").toString(), b.slice(0, 3), b.equals(Buffer.from(b)), Buffer.concat([b, Buffer.from([1])]).length, Buffer.isBuffer(b), b.indexOf("w"), b.includes("xyz"))
console.log(JSON.stringify(Buffer.from("ab")), b.readUInt16BE(0), Buffer.from([1, 2, 3, 4]).readInt32LE(), Buffer.alloc(3, "ab"), Buffer.compare(Buffer.from("a"), Buffer.from("b")), Buffer.from("zz", "latin1"), Buffer.from("€", "utf16le"), Buffer.from([256, -1, 1.7]), b.toString("utf8", 0, 2), b.write("XY", 1), b.toString(), String(Buffer.from("s")), Buffer.from("_-8", "base64url"), Buffer.from("??>").toString("base64url"), b.subarray(1, 3) instanceof Buffer)
const t = Buffer.alloc(8); t.writeDoubleBE(1.5); console.log(t, t.readDoubleBE(), [...Buffer.from("ab").entries()], typeof atob("aGk="), btoa("hi"))`,
  ),
  file(
    `const e = new TextEncoder().encode("aé€😀"); console.log(e, new TextDecoder().decode(e), new TextDecoder("utf-16le").decode(new Uint8Array([65, 0])), new TextDecoder("latin1").encoding, new TextEncoder().encodeInto("aé", new Uint8Array(2)))
const d = new TextDecoder(); console.log(d.decode(e.slice(0, 4), { stream: true }) + d.decode(e.slice(4))); try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])) } catch (x) { console.log(x.name) } try { new TextDecoder("nope") } catch (x) { console.log(x.name) } console.log("\\ud800".isWellFormed(), encodeURIComponent("é &"), JSON.stringify("\\ud800"))`,
  ),
  file(
    `const u = new URL("https://user:pw@example.com:8080/a/../b?x=1&y=%20z#h"); console.log(u, u.href, u.searchParams.get("y"), String(new URL("../c?d", u)), JSON.stringify(u)); u.searchParams.append("k", "v w"); u.pathname = "/n p"; u.hash = ""; u.port = "443"; console.log(u.href, u.search)
const p = new URLSearchParams({ a: "1", b: "two words" }); p.append("a", "3"); p.sort(); console.log(p, p.toString(), [...p], p.getAll("a"), p.has("z"), new URLSearchParams("?q=a+b&q=c").getAll("q"), p.size); try { new URL("nope") } catch (x) { console.log(x.code, x.name, x.message, x.input) } console.log(URL.canParse("a:b"), require("url").fileURLToPath("file:///a%20b"), require("url").pathToFileURL("/a b#c").href)`,
  ),
  file(
    String
      .raw`for (const text of ["a=1&&b&=c&d=", "?a+b=%20%2B", "%E4%B8%ADx%ff%E4=%", "%zz=\ud800", "a=b=c", "?", "??a", "%EF%BB%BFa=%EF%BB%BF", "\ufeffx=1"]) { const p = new URLSearchParams(text); console.log(JSON.stringify([...p]), p.toString()) }
console.log(new URLSearchParams([["!'()~*-._ \n", "\u{1f600}\udc00&=+%"]]).toString())
const shared = new Uint8Array(new SharedArrayBuffer(3)).fill(65); console.log(new TextDecoder().decode(shared), Buffer.from(shared.subarray(1)).toString(), new TextDecoder().decode(shared.subarray(1)))`,
  ),
  file(
    `const o = { d: new Date(1), m: new Map([[1, { a: 1 }]]), s: new Set([1]), r: /x/g, n: null, a: [1, , 3], e: new RangeError("r"), b: new Uint8Array([1, 2]) }; o.self = o; const c = structuredClone(o)
console.log(c.d, c.m, c.s, c.r, c.a, c.e.message, c.e instanceof RangeError, c.b, c.self === c, c.m !== o.m); try { structuredClone(() => {}) } catch (x) { console.log(x.name) }
const ac = new AbortController(); ac.signal.addEventListener("abort", () => console.log("aborted")); ac.abort(); console.log(ac.signal.aborted, ac.signal.reason.name); console.log(crypto.randomUUID().length, crypto.getRandomValues(new Uint8Array(4)).length, typeof fetch, typeof performance.now(), new Headers({ "A-b": "1" }).get("a-B"))
const r = new Response('{"a": 1}', { status: 201 }); r.json().then((j) => console.log(j, r.ok, r.bodyUsed))`,
  ),
  file(
    `const lines = require("fs").readFileSync("lines.txt", "utf8").trim().split("\\n"); console.log(lines.map((l, i) => i + ":" + l.toUpperCase()).join(), Object.groupBy(lines, (l) => l.length), [3, 1, 2].toSorted(), "a-b-c".replaceAll("-", "+"), [..."añb"].length, 2n ** 70n, (1234.5).toFixed(2), parseInt("0x1f"), [1, [2, [3]]].flat(Infinity), Math.max(...[1, 5, 3]), new Date("2024-02-29T12:00:00Z").toISOString(), "x".padStart(3, "ab"), [1, 2, 3].at(-1), Number("1_000"), 0.1 + 0.2, "abc".at(-1), /(?<y>\\d{4})/.exec("in 2024").groups.y, [..."a1b2".matchAll(/\\d/g)].map((m) => m[0]))
class Stack { #items = []; push(x) { this.#items.push(x); return this } get size() { return this.#items.length } static of(...x) { const s = new Stack(); x.forEach((i) => s.push(i)); return s } *[Symbol.iterator]() { yield* this.#items } } console.log(Stack.of(1, 2).size, [...Stack.of(3, 4)], new Stack()); label: for (const a of [1, 2]) for (const b of [1, 2]) { if (b === 2) continue label; console.log(a, b) } console.log(typeof structuredClone, void 0 ?? "d", null?.x, { ...{ a: 1 }, b: 2 }, ((a, b = 2, ...c) => [a, b, c])(1, undefined, 3, 4))`,
  ),
])
