/** The class `Sandbox` beside just-bash's: the same calls return the same. */
import { describe, expect, it } from "vitest"
import { Sandbox } from "../../src/just-bash/mod.ts"
import { type Library, outcome, same } from "./both.ts"

type Command = Awaited<ReturnType<Awaited<ReturnType<Library["sandbox"]>>["runCommand"]>>

const told = async (command: Command) => [command.exitCode, command.cwd, await command.stdout(), await command.stderr()]

describe("Sandbox.runCommand", () => {
  same("runs a script, or a program with arguments that are not parsed", async ({ sandbox }) => {
    const made = await sandbox({ cwd: "/app", env: { A: "1" } })
    return [
      await told(await made.runCommand("pwd; echo $A; exit 3")),
      await told(await made.runCommand("echo", ["-n", "hello world", "it's", "$A"])),
      await told(await made.runCommand({ cmd: "printenv", args: ["PWD", "B"], cwd: "/tmp", env: { B: "2" } })),
      await told(await made.runCommand("echo $A $B; pwd", { env: { B: "2" }, cwd: "/" })),
      await told(await made.runCommand("echo [$B]; pwd")),
      (await made.runCommand("no such program", ["x"])).exitCode,
    ]
  })
  same("returns a detached command at once", async ({ sandbox }) => {
    const made = await sandbox()
    const command = await made.runCommand({ cmd: "echo", args: ["late"], detached: true })
    const before = command.exitCode
    const same = await command.wait() === command
    return [before, same, command.exitCode, await command.output(), /^[0-9a-f-]{36}$/.test(command.cmdId)]
  }, [undefined, true, 0, "late\n", true])
  same("yields outputs as messages", async ({ sandbox }) => {
    const command = await (await sandbox()).runCommand("echo out; echo err >&2")
    const messages = []
    for await (const { data, timestamp, type } of command.logs()) messages.push([type, data, timestamp instanceof Date])
    return [messages, await command.output(), command.startedAt instanceof Date]
  })
  same("kills a command, by a call, a signal or a time limit", async ({ sandbox }) => {
    const made = await sandbox()
    const killed = await made.runCommand({ cmd: "sleep", args: ["60"], detached: true })
    await killed.kill()
    const limited = await sandbox({ timeoutMs: 50 })
    return [
      await told(await killed.wait()),
      await told(await made.runCommand("sleep", ["60"], { signal: AbortSignal.timeout(20) })),
      await told(await limited.runCommand("sleep 60")),
    ]
  })
  it("writes outputs to streams", async () => {
    const [out, err]: [Array<string>, Array<string>] = [[], []]
    const made = await Sandbox.create()
    await made.runCommand({
      cmd: "bash",
      args: ["-c", "echo out; echo err >&2"],
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
    })
    expect([out, err]).toEqual([["out\n"], ["err\n"]])
  })
})

describe("files of a Sandbox", () => {
  same("writes, reads and makes folders", async ({ sandbox }) => {
    const made = await sandbox({ cwd: "/app" })
    await made.writeFiles({
      "/deep/nested/a.txt": "text",
      "b.txt": { content: "utf", encoding: "utf-8" },
      "c.txt": { content: "aGk=", encoding: "base64" },
    })
    await made.mkDir("/x/y", { recursive: true })
    return [
      await made.readFile("/deep/nested/a.txt"),
      await made.readFile("b.txt", "base64"),
      await told(await made.runCommand("cat /app/b.txt /app/c.txt; ls -d /x/y")),
      await outcome(() => made.readFile("/no")),
      await outcome(() => made.mkDir("/no/such")),
    ]
  })
  same("has the members that do nothing", async ({ sandbox }) => {
    const made = await sandbox({ env: { A: "1" } })
    const direct = await made.bashEnvInstance.exec("echo direct $A")
    await made.stop()
    return [made.domain, await made.extendTimeout(1), direct.stdout, await told(await made.runCommand("echo after"))]
  })
  it("reads a folder of this machine", async () => {
    const made = await Sandbox.create({ overlayRoot: new URL("../../src/just-bash", import.meta.url).pathname })
    expect(await (await made.runCommand("ls mod.ts; pwd")).stdout()).toBe("mod.ts\n/home/user/project\n")
  })
})
