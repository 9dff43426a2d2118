import { expect, it } from "vitest"
import { type Extension, Sandbox } from "@sluice/shell/sandbox"

type Handler = Extension.Extension

const run = async (mytool: Handler, script: string, options: Sandbox.SandboxOptions = {}) => {
  await using sandbox = await Sandbox.open({ extensions: { mytool }, ...options })
  const { exitCode, stderr, stdout } = await sandbox.run(script, { check: false })
  return { exitCode, stderr, stdout, processes: sandbox.service.kernel.processes }
}

it("runs command lines with the variables, the folder and the files of the command", async () => {
  const mytool: Handler = async (args, _, { exec }) => {
    const { exitCode, ok, stderr, stdout } = await exec('echo "$V $W $PWD $1"; cat f; echo no >&2; exit 3', {
      args,
      env: { W: "w" },
    })
    const elsewhere = await exec("pwd; cat", { cwd: "../tmp", input: ["a", new Uint8Array([10])] })
    return JSON.stringify([exitCode, ok, stdout, stderr, elsewhere.stdout])
  }
  const { processes, stdout } = await run(mytool, "mkdir d tmp; cd d; echo content > f; V=v mytool 'x y'")
  expect(JSON.parse(stdout)).toEqual([3, false, "v w /home/user/d x y\ncontent\n", "no\n", "/home/user/tmp\na\n"])
  expect(processes).toBe(0)
})

it("runs command lines also where scripts may not start a shell, and no other programs than they may", async () => {
  const mytool: Handler = async (_, __, { exec }) => (await exec("echo a | cat; sort /dev/null || echo $?")).stdout
  const { stdout } = await run(mytool, "mytool; bash -c 'echo b'", { allow: ["mytool", "cat"] })
  expect(stdout).toBe("a\n126\n")
})

it("yields events as they come, and ends the command when the loop is left", async () => {
  const mytool: Handler = async function* (_, __, { events }) {
    for await (const event of events("echo one; echo two >&2; exit 4")) {
      yield event._tag === "ScriptText" ? `${event.stream} ${event.text}` : `exit ${event.exitCode}\n`
    }
    let length = 0
    for await (const event of events("yes")) {
      if (event._tag === "ScriptText") length += event.text.length
      if (length > 1_000_000) break
    }
    yield `${length > 1_000_000}\n`
  }
  const { processes, stdout } = await run(mytool, "mytool")
  expect(stdout.split("\n").sort()).toEqual(["", "exit 4", "stderr two", "stdout one", "true"])
  expect(processes).toBe(0)
})

it("blocks a command whose events are not pulled, and ends both with the run", async () => {
  let pulled = 0
  const end = new AbortController()
  const mytool: Handler = async (_, __, { events, signal }) => {
    const iterator = events("yes | tee count | cat")[Symbol.asyncIterator]()
    await iterator.next()
    pulled++
    // Time in which nothing more is written.
    setTimeout(() => end.abort(), 200)
    await new Promise((resolve) => signal.addEventListener("abort", resolve))
  }
  await using sandbox = await Sandbox.open({ extensions: { mytool } })
  const error: unknown = await sandbox.run("mytool", { signal: end.signal }).catch((cause) => cause)
  expect(error).toMatchObject({ reason: { _tag: "Cancelled" } })
  expect(pulled).toBe(1)
  expect((await sandbox.stat("count")).size).toBeLessThan(1_000_000)
  expect(sandbox.service.kernel.processes).toBe(0)
})

it("ends a command at its output limit, at its timeout and by its signal", async () => {
  const mytool: Handler = async (_, __, { exec }) => {
    const much = await exec("yes | cat", { maxOutputBytes: 1_000 })
    const slow = await exec("sleep 60 | cat", { timeout: "50 millis" })
    const aborted = await exec("sleep 60", { signal: AbortSignal.timeout(50) })
    return JSON.stringify([much.truncated, much.signal, much.stdout.length, slow.signal, aborted.signal])
  }
  const { processes, stdout } = await run(mytool, "mytool")
  expect(JSON.parse(stdout)).toEqual([true, "SIGXFSZ", 1_000, "SIGKILL", "SIGKILL"])
  expect(processes).toBe(0)
})

it("ends processes that a command leaves in the background", async () => {
  const mytool: Handler = async (_, __, { exec }) => (await exec("(sleep 60; echo late > f) & echo started")).stdout
  const { processes, stdout } = await run(mytool, "mytool; ls")
  expect(stdout).toBe("started\n")
  expect(processes).toBe(0)
})

it("ends a command with the extension that runs it", async () => {
  const mytool: Handler = async (_, __, { exec }) => {
    // The loop is a child of the shell: it must end as well.
    await exec("while :; do sleep 0.01; echo x >> beats; done | cat")
  }
  await using sandbox = await Sandbox.open({ extensions: { mytool } })
  const { stdout } = await sandbox.run(
    "mytool & until [ -s beats ]; do sleep 0.01; done; kill -9 $!; wait $!; echo $?; wc -l < beats > a; sleep 0.1; wc -l < beats | cmp - a",
    { check: false },
  )
  expect(stdout).toBe("137\n")
  expect(sandbox.service.kernel.processes).toBe(0)
})

it("ends a command whose events are not pulled with the extension that runs it", async () => {
  const mytool: Handler = async (_, __, { events }) => {
    for await (const event of events("echo started; while :; do sleep 0.01; echo x >> beats; done | cat")) {
      if (event._tag === "ScriptText") await new Promise(() => {})
    }
  }
  await using sandbox = await Sandbox.open({ extensions: { mytool } })
  const { stdout } = await sandbox.run(
    "mytool & until [ -s beats ]; do sleep 0.01; done; kill -9 $!; wait $!; echo $?; wc -l < beats > a; sleep 0.1; wc -l < beats | cmp - a",
    { check: false },
  )
  expect(stdout).toBe("137\n")
  expect(sandbox.service.kernel.processes).toBe(0)
})

it("names the wrong option, and the reason why no shell started", async () => {
  const options: Handler = async (_, __, { exec }) => void await exec("true", { maxOutputBytes: -1 })
  expect((await run(options, "mytool")).stderr).toMatch(/^mytool: .*maxOutputBytes/)
  const many: Handler = async (_, __, { exec }) => void await exec("true")
  expect((await run(many, "mytool", { limits: { maxProcesses: 2 } })).stderr)
    .toBe("mytool: the shell could not be started: Resource temporarily unavailable (EAGAIN)\n")
  const folder: Handler = async (_, __, { exec }) => void await exec("true", { cwd: "none" })
  expect((await run(folder, "mytool")).stderr)
    .toBe("mytool: the shell could not be started: No such file or directory (ENOENT)\n")
})
