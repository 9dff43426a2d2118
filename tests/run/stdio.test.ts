import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll } from "vitest"
import { expect, it } from "@effect/vitest"
import { root } from "../../scripts/examples.mjs"
import { $, quoteCommand, run, shell, ShellFault } from "../../src/run/mod.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-stdio-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** How this runtime runs a fixture. */
const start = (fixture: string): readonly [string, ReadonlyArray<string>] => {
  const file = join(root, "tests/run", fixture)
  return [process.execPath, "Deno" in globalThis ? ["run", "-A", "--quiet", file] : [file]]
}

const at = (name: string): string => join(folder, name)
const read = (name: string): Promise<string> => readFile(at(name), "utf8")

it("writes an output to a file, replacing it or appending", async () => {
  const result = await $({ stdout: { file: at("out") } })`echo one`
  expect(result).toMatchObject({ ok: true, stdout: "", stdoutBytes: 4 })
  await $({ stdout: { file: pathToFileURL(at("out")), append: true } })`echo two`
  expect(await read("out")).toBe("one\ntwo\n")
  await $({ stdout: { file: at("out") } })`echo three`
  expect(await read("out")).toBe("three\n")
  await run("sh", ["-c", "echo bad >&2"], { cwd: folder, stderr: { file: "err" } })
  expect(await read("err")).toBe("bad\n")
})

it("has written all of a large output when it resolves", async () => {
  await run("head", ["-c", "20000000", "/dev/zero"], { stdout: { file: at("large") } })
  expect((await readFile(at("large"))).length).toBe(20_000_000)
})

it("starts nothing when a file cannot be opened", async () => {
  const command = run("sh", ["-c", `echo ran > ${at("ran")}`], { stdout: { file: at("no/such/folder") } })
  const error = await command.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ShellFault)
  expect(error).toMatchObject({ reason: { _tag: "InvalidRequest", field: "stdout", code: "ENOENT" } })
  await expect(read("ran")).rejects.toThrow()
  const reads = await run("cat", [], { stdin: { file: at("no") } }).catch((error: unknown) => error)
  expect(reads).toMatchObject({ reason: { _tag: "InvalidRequest", field: "stdin", code: "ENOENT" } })
})

it.runIf(process.platform === "linux")("says that a file could not be written", async () => {
  const error = await run("head", ["-c", "1000000", "/dev/zero"], { stdout: { file: "/dev/full" } })
    .catch((error: unknown) => error)
  expect(error).toMatchObject({ _tag: "ShellFault", reason: { _tag: "Unknown", code: "ESTDOUT" } })
  expect(String(error)).toMatch(/ENOSPC|No space/)
})

it("writes to a WritableStream with back-pressure, and closes it", async () => {
  const pieces: Array<number> = []
  let closed = false
  const slow = new WritableStream<Uint8Array>({
    write: async (bytes) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      pieces.push(bytes.length)
    },
    close: () => {
      closed = true
    },
  })
  const { stdoutBytes } = await run("head", ["-c", "1000000", "/dev/zero"], { stdout: slow })
  expect([stdoutBytes, pieces.reduce((sum, n) => sum + n, 0), closed]).toEqual([1_000_000, 1_000_000, true])
  const zipped = new CompressionStream("gzip")
  const bytes = new Response(zipped.readable).arrayBuffer()
  await run("seq", ["1000"], { stdout: zipped.writable })
  await writeFile(at("zipped"), new Uint8Array(await bytes))
  expect(await run("gzip", ["-dc", at("zipped")]).text()).toBe(await run("seq", ["1000"]).text())
})

it("rejects with the failure of a WritableStream", async () => {
  const broken = new WritableStream<Uint8Array>({
    write: () => {
      throw new Error("no more room")
    },
  })
  const error = await run("yes", [], { stdout: broken }).catch((error: unknown) => error)
  expect(error).toMatchObject({ reason: { _tag: "Unknown", code: "ESTDOUT" } })
  expect(String(error)).toContain("no more room")
})

it("captures and shows with tee", async () => {
  const seen: Array<string> = []
  const live = (): WritableStream<Uint8Array> =>
    new WritableStream({ write: (bytes) => void seen.push(new TextDecoder().decode(bytes)) })
  const result = await run("sh", ["-c", "echo out; echo err >&2"], { stdout: { tee: live() }, stderr: { tee: live() } })
  expect(result).toMatchObject({ stdout: "out\n", stderr: "err\n", stdoutBytes: 4, stderrBytes: 4 })
  expect(seen.toSorted()).toEqual(["err\n", "out\n"])
  expect(await run("echo", ["a"], { stdout: { tee: { file: at("tee") } } }).text()).toBe("a")
  expect(await read("tee")).toBe("a\n")
  const lines = []
  for await (const line of run("seq", ["3"], { stdout: { tee: { file: at("lines") } } })) lines.push(line)
  expect([lines, await read("lines")]).toEqual([["1", "2", "3"], "1\n2\n3\n"])
})

it("copies to several destinations", async () => {
  let seen = ""
  const live = new WritableStream<Uint8Array>({ write: (bytes) => void (seen += new TextDecoder().decode(bytes)) })
  const copies = [live, { file: at("copy1") }, { file: at("copy2"), append: true }]
  const result = await run("sh", ["-c", "echo out; echo err >&2"], {
    stdout: { tee: copies },
    stderr: { tee: [{ file: at("errors") }] },
  })
  expect(result).toMatchObject({ stdout: "out\n", stderr: "err\n" })
  expect([seen, await read("copy1"), await read("copy2"), await read("errors")])
    .toEqual(["out\n", "out\n", "out\n", "err\n"])
  const unopened = run("touch", [at("touched")], { stdout: { tee: [{ file: at("opened") }, { file: at("no/such") }] } })
  await expect(unopened).rejects.toMatchObject({ reason: { field: "stdout", code: "ENOENT" } })
  await expect(read("touched")).rejects.toThrow()
  expect(() => run("true", [], { stdout: { tee: [] } })).toThrow(/tee/)
})

it("shows the end of a captured stderr in the failure", async () => {
  const failing = run("sh", ["-c", "echo why >&2; exit 1"], { stderr: { tee: { file: at("why") } } })
  await expect(failing).rejects.toThrow(/\nwhy$/)
})

it("sends each stage's stderr, and the last stage's stdout, to their destinations", async () => {
  const result = await run("sh", ["-c", "echo first >&2; echo a"], { stderr: { file: at("first") } })
    .pipe(run("tr", ["a", "b"], { stdout: { file: at("second") } }))
  expect(result.ok).toBe(true)
  expect([await read("first"), await read("second")]).toEqual(["first\n", "b\n"])
})

it("ignores outputs, and refuses to read them", async () => {
  const quiet = run("sh", ["-c", "echo out; echo err >&2"], { stdout: "ignore", stderr: "ignore" })
  await expect(quiet.text()).rejects.toThrow(/is not captured/)
  expect(await quiet).toMatchObject({ ok: true, stdout: "", stderr: "", stdoutBytes: 0 })
})

it("reads a file", async () => {
  await writeFile(at("in"), "from a file\n")
  expect(await run("cat", [], { stdin: { file: at("in") } }).text()).toBe("from a file")
  await writeFile(at("big"), new Uint8Array(3_000_000))
  expect(await run("wc", ["-c"], { stdin: { file: at("big") } }).text()).toMatch(/^ *3000000$/)
  expect(await run("head", ["-c", "1"], { stdin: { file: at("big") } }).bytes()).toHaveLength(1)
})

it("passes this program's own descriptors to the command", async () => {
  const [program, args] = start("inherit.fixture.ts")
  const child = execFile(program, args, { cwd: root })
  let stdout = ""
  let stderr = ""
  child.stdout?.on("data", (text) => stdout += text)
  child.stderr?.on("data", (text) => stderr += text)
  child.stdin?.end("typed\n")
  const code = await new Promise((resolve) => child.on("close", resolve))
  expect([code, stdout, stderr.split("\n").at(-2)]).toEqual([0, "typed\ndone\nshown\n", '[true,""]'])
})

it("reads and writes this program's own streams for a script in the portable shell", async () => {
  const [program, args] = start("portable.fixture.ts")
  const child = execFile(program, args, { cwd: root })
  let stdout = ""
  let stderr = ""
  child.stdout?.on("data", (text) => stdout += text)
  child.stderr?.on("data", (text) => stderr += text)
  child.stdin?.end("one\ntyped\n")
  const code = await new Promise((resolve) => child.on("close", resolve))
  expect([code, stdout, stderr]).toEqual([0, "typed\ndone\nshown\n", "one\n"])
})

it.runIf(process.platform === "linux")("leaves a terminal a terminal", async () => {
  const [program, args] = start("terminal.fixture.ts")
  const command = quoteCommand([program, ...args])
  const { stdout } = await promisify(execFile)("script", ["-qec", command, "/dev/null"], { cwd: root })
  expect(stdout).toContain("terminal")
})

it("refuses contradictory options", () => {
  expect(() => run("cat", [], { input: "x", stdin: "inherit" })).toThrow(/one of them/)
  expect(() => run("cat", [], { mergeStreams: true, stderr: "ignore" })).toThrow(/mergeStreams/)
  expect(() => run("cat", [], { stdout: "inherit", idleTimeout: 5 })).toThrow(/silence/)
  // @ts-expect-error: a path is { file }
  expect(() => run("cat", [], { stdout: "out.txt" })).toThrow(/"out.txt" is not one of "pipe"/)
  // @ts-expect-error: text is the option input
  expect(() => shell("cat", { stdin: "text" })).toThrow(/goes into the option input/)
})

it("warns on stderr, not on stdout, of commands that wait behind a server", async () => {
  const [program, args] = start("queue.fixture.ts")
  const child = spawn(program, [...args], { stdio: ["pipe", "pipe", "pipe"] })
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const parts: Array<string> = []
    stream.setEncoding("utf8").on("data", (part: string) => {
      parts.push(part)
      if (parts.join("").match(/\(maxConcurrency\), first cat\b/g)?.length === 2) child.stdin.end()
    })
    return parts
  })
  const [status] = await once(child, "close")
  expect([status, stdout?.join("")]).toEqual([0, "second third\n"])
  expect(stderr?.join("")).toMatch(/ WARN .*exec: echo second .*\n.* WARN .*exec: echo third .*\n$/)
})
