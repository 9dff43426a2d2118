import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type MockCommand, OptionError, Runner, secret, ShellExitError, ShellFault } from "../../src/run/mod.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-stand-in-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const at = (name: string): string => join(folder, name)
const runsOf = async (name: string): Promise<number> =>
  (await readFile(at(name), "utf8").catch(() => "")).split("\n").length - 1

it("answers commands by a mock, and starts none", async () => {
  const seen: Array<MockCommand> = []
  const { $, run, shell } = Runner.make({
    mock: (command) => {
      seen.push(command)
      if (command.command === "git") return "main\n"
      if (command.command === "make") return { stdout: "so far\n", stderr: "no rule\n", exitCode: 2 }
      if (command.isScript) return { stdout: Uint8Array.of(255, 10), delay: "1ms" }
      return command.command === "hang" ? { signal: "SIGKILL" } : undefined
    },
  })
  expect(await $({ cwd: folder })`git branch ${"a b"}`.text()).toBe("main")
  const error = await run("make", ["all"]).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ShellExitError)
  expect(error).toMatchObject({ exitCode: 2, stdout: "so far\n", stderr: "no rule\n" })
  expect([...await shell`touch ${at("touched")} ${secret("hunter2")}`.bytes()]).toEqual([255, 10])
  expect(await $`hang`.nothrow()).toMatchObject({ signal: "SIGKILL" })
  const unknown = await $`touch ${at("touched")}`.catch((error: unknown) => error)
  expect(unknown).toBeInstanceOf(ShellFault)
  expect(unknown).toMatchObject({
    reason: { code: "EUNSCRIPTED" },
    message: expect.stringMatching(/^touch .*not scripted/),
  })
  await expect(readFile(at("touched"))).rejects.toThrow()
  expect(seen.map(({ line }) => line)).toEqual([
    "git branch 'a b'",
    "make all",
    expect.stringMatching(/^sh -c 'touch .*touched <?.*redacted/),
    "hang",
    expect.stringMatching(/^touch /),
  ])
  expect(seen[0]).toMatchObject({ args: ["branch", "a b"], cwd: folder, isScript: false })
  expect(JSON.stringify(seen)).not.toContain("hunter2")
})

it("writes a mock's output to wherever it goes, through pipelines too", async () => {
  const { $, lines } = Runner.make({ mock: ({ command }) => command === "cat" ? "from cat\n" : "1\n2\n" })
  await $({ stdout: { file: at("out") } })`seq 2`
  expect(await readFile(at("out"), "utf8")).toBe("1\n2\n")
  expect(await $`seq 2`.pipe`cat`.text()).toBe("from cat")
  const all = []
  for await (const line of lines("seq", [2])) all.push(line)
  expect(all).toEqual(["1", "2"])
  const events = []
  for await (const event of $`seq 2`.events()) events.push(event._tag)
  expect(events).toEqual(["ShellOutputChunk", "ShellOutput"])
})

it("describes commands in a dry run, and starts none", async () => {
  const { $, shell } = Runner.make({ dryRun: true, timeout: "1m" })
  const text = await $({ cwd: folder })`touch ${"a b"}`.text()
  expect(text).toMatch(/^\/.*touch 'a b'\n {2}directory {4}/)
  expect(text).toContain(folder)
  expect(await shell`touch ${at("dry")}`.text()).toContain(`touch ${at("dry")}`)
  const missing = await $`no-such-program-anywhere`.catch((error: unknown) => error)
  expect(missing).toMatchObject({ reason: { _tag: "NotFound" }, message: expect.stringMatching(/^no-such-program/) })
  await expect(readFile(at("dry"))).rejects.toThrow()
})

it("records the first run, and answers from the file afterwards", async () => {
  const record = { file: at("record.ndjson") }
  const token = secret("hunter2secret", "token")
  const program = async () => {
    const { $, run, shell } = Runner.make({ record, env: { TOKEN: token } })
    const script = shell`echo ran >> ${at("witness")}; echo $TOKEN; echo bad >&2; exit 3`
    const failed = await script.nothrow()
    const lines = []
    for await (const line of shell("echo ran >> witness; echo one; echo two", { cwd: folder })) lines.push(line)
    const ids = [await run("sh", ["-c", "echo $$"]).text(), await run("sh", ["-c", "echo $$"]).text()]
    const missing = await $`no-such-program-anywhere`.catch((error: unknown) => error)
    const events = []
    for await (const event of $`echo event`.events()) events.push("content" in event ? event.content : event.exitCode)
    return {
      failed: [failed.exitCode, failed.stderr],
      lines,
      ids,
      missing: String(missing),
      piped: await $`seq 30`.pipe`tail -n 1`.text(),
      events,
    }
  }
  const first = await program()
  expect(first).toMatchObject({ failed: [3, "bad\n"], lines: ["one", "two"], piped: "30", events: ["event\n", 0] })
  expect(first.ids[0]).not.toBe(first.ids[1])
  expect(await runsOf("witness")).toBe(2)
  expect(await readFile(record.file, "utf8")).not.toContain("hunter2secret")
  expect(await program()).toEqual(first)
  expect(await runsOf("witness")).toBe(2)
  const replayed = Runner.make({ record: { ...record, mode: "replay" } })
  const refused = (run: PromiseLike<unknown>): Promise<unknown> =>
    Promise.resolve(run).then(() => undefined, (error: unknown) => error)
  expect(await refused(replayed.$`touch x`)).toMatchObject({
    reason: { code: "EUNRECORDED" },
    message:
      `touch x is not recorded in ${record.file}; delete the file, or run once with mode "record" to record it again (EUNRECORDED)`,
  })
  await replayed.$`echo event`
  expect(await refused(replayed.$`echo event`)).toMatchObject({
    message: expect.stringContaining(`echo event ran more often than it is recorded in ${record.file}; delete`),
  })
  expect(await refused(replayed.$({ cwd: folder })`echo event`)).toMatchObject({
    message: expect.stringContaining(`echo event in ${folder} is not recorded in ${record.file}; delete`),
  })
  await expect(Runner.make({ record: { file: at("none"), mode: "replay" } }).$`true`).rejects.toThrow(/none/)
  await writeFile(at("again"), "old\n")
  await Runner.make({ record: { file: at("again"), mode: "record" } }).$`echo new`
  expect(await readFile(at("again"), "utf8")).toMatch(/^\{"line":"echo new",.*\}\n$/)
})

it("refuses two answers at once, and values of the wrong kind", () => {
  const mock = () => ""
  expect(() => Runner.make({ mock, dryRun: true })).toThrow(OptionError)
  expect(() => Runner.make({ record: { file: "x" }, mock })).toThrow(/one of mock, record and dryRun/)
  const untyped: ReturnType<typeof JSON.parse> = "git"
  expect(() => Runner.make({ mock: untyped })).toThrow(/^mock: write a function/)
  expect(() => Runner.make({ record: untyped })).toThrow(/^record: write/)
})
