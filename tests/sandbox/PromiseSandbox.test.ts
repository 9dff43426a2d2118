import { inspect } from "node:util"
import { expect, it } from "vitest"
import { memory, overlay, Sandbox } from "@sluice/shell/sandbox"

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => Promise.reject(new Error("it did not fail")), (error: unknown) => error)

it("runs scripts one after the other in one session, and reads and writes files", async () => {
  await using sandbox = await Sandbox.open({ files: { "names.txt": "b\na\n" }, env: { GREETING: "hello" } })
  const [first, second] = await Promise.all([
    sandbox.run("x=1; cd /tmp; sort /home/user/names.txt > sorted.txt"),
    sandbox.run("echo $GREETING $x $PWD"),
  ])
  expect([first.ok, second.stdout]).toEqual([true, "hello 1 /tmp\n"])
  expect(new TextDecoder().decode(second.stdoutRaw)).toBe("hello 1 /tmp\n")
  expect([sandbox.cwd, sandbox.env["GREETING"]]).toEqual(["/tmp", "hello"])
  expect(await sandbox.readText("sorted.txt")).toBe("a\nb\n")
  await sandbox.writeFile("folder/new.txt", "12345")
  expect((await sandbox.stat("folder/new.txt")).size).toBe(5)
  expect((await sandbox.list("folder")).map(({ name }) => name)).toEqual(["new.txt"])
  const before = await sandbox.snapshot()
  await sandbox.remove("folder", { recursive: true })
  await sandbox.makeFolder("other")
  await sandbox.restore(before)
  expect((await sandbox.list("/tmp")).map(({ name }) => name)).toEqual(["folder", "sorted.txt"])
  expect((await sandbox.readFile("folder/new.txt")).length).toBe(5)
})

it("a result is text in JSON and in console.log", async () => {
  await using sandbox = await Sandbox.open()
  const result = await sandbox.run("echo out; echo why >&2; exit 3", { check: false })
  expect(JSON.parse(JSON.stringify(result))).toEqual({
    exitCode: 3,
    truncated: false,
    stdout: "out\n",
    stderr: "why\n",
  })
  expect(inspect(result)).toBe(inspect(result.toJSON()))
  expect(inspect([result])).toContain("stdout: 'out\\n'")
})

it("restore takes bytes alone", async () => {
  await using sandbox = await Sandbox.open()
  expect(await failureOf(Reflect.apply(sandbox.restore, sandbox, ["text"]))).toMatchObject({
    reason: { _tag: "SnapshotFailed" },
    message: "sandbox: the snapshot could not be restored: pass the bytes of a snapshot, got a string (ESNAPSHOT)",
  })
})

it("rejects as run does: with the exit error, which check turns off or limits to other codes", async () => {
  await using sandbox = await Sandbox.open()
  const script = "echo out; echo why >&2; exit 3"
  const error = await failureOf(sandbox.run(script))
  expect(error).toMatchObject({
    _tag: "ShellExitError",
    exitCode: 3,
    stdout: "out\n",
    stderr: "why\n",
    command: script,
  })
  expect(String(error)).toMatch(/exited with 3 after .* \(EXIT\)\nwhy$/)
  expect((await sandbox.run(script, { check: [0, 3] })).exitCode).toBe(3)
  expect(await failureOf(sandbox.run(script, { check: [0, 1] }))).toMatchObject({ exitCode: 3 })
  const killed = await sandbox.run("kill -9 $$", { check: false })
  expect([killed.ok, killed.signal]).toEqual([false, "SIGKILL"])
})

it("names the limit and its option when a script wrote too much", async () => {
  await using sandbox = await Sandbox.open({ limits: { maxOutputBytes: 20 } })
  for (const options of [{ maxOutputBytes: 10 }, {}]) {
    const { maxOutputBytes = 20 } = options
    const error = await failureOf(sandbox.run("yes", options))
    expect(error).toMatchObject({
      _tag: "SandboxError",
      reason: { _tag: "OutputLimit", maxOutputBytes },
      stdout: "y\n".repeat(maxOutputBytes / 2),
    })
    expect(String(error)).toMatch(
      new RegExp(
        `sandbox: the script wrote more than ${maxOutputBytes} bytes \\(maxOutputBytes\\) and was killed: raise`,
      ),
    )
  }
  const kept = await sandbox.run("yes", { maxOutputBytes: 10, check: false })
  expect([kept.truncated, kept.signal]).toEqual([true, "SIGXFSZ"])
})

it("measures a script from its own start, not with the runs before it", async () => {
  await using sandbox = await Sandbox.open()
  const called = performance.now()
  const earlier = sandbox.run("sleep 1")
  const error = await failureOf(sandbox.run("exit 3"))
  const elapsed = performance.now() - called
  await earlier
  expect(error).toSatisfy((each: { readonly duration: number }) => elapsed - each.duration > 900)
  expect(error).toMatchObject({ _tag: "ShellExitError", message: expect.stringMatching(/^exit 3 exited with 3 after/) })
})

it("refuses a check of events, which yield any exit", async () => {
  await using sandbox = await Sandbox.open()
  const options: object = { check: true }
  expect(() => sandbox.events("exit 3", options)).toThrow(/^sandbox.events: unknown option "check"/)
})

it("reads text, bytes, iterables and Web streams on stdin", async () => {
  await using sandbox = await Sandbox.open()
  const cat = async (input: Sandbox.PromiseInput) => (await sandbox.run("cat", { input })).stdout
  expect(await cat("text")).toBe("text")
  expect(await cat(new Uint8Array([65, 66]))).toBe("AB")
  expect(await cat(["a", new Uint8Array([98])])).toBe("ab")
  expect(
    await cat((async function* () {
      yield "one "
      yield new TextEncoder().encode("two")
    })()),
  ).toBe("one two")
  expect(await cat(new Blob(["streamed"]).stream())).toBe("streamed")
  const failing = async function* () {
    yield "a"
    throw new Error("gone")
  }
  expect(await failureOf(cat(failing()))).toMatchObject({ _tag: "SandboxError", reason: { _tag: "InputFailed" } })
  // @ts-expect-error -- JavaScript may give anything.
  expect(await failureOf(cat(5))).toMatchObject({ _tag: "OptionError", option: "input" })
})

it("kills the script at its timeout or when its signal aborts, and runs the next one", async () => {
  await using sandbox = await Sandbox.open({ timeout: "100 millis" })
  expect(await failureOf(sandbox.run("echo so far; sleep 60"))).toMatchObject({
    _tag: "SandboxError",
    reason: { _tag: "Timeout", afterMillis: 100 },
    stdout: "so far\n",
  })
  const abort = new AbortController()
  const running = failureOf(
    sandbox.run("sleep 60", { signal: abort.signal, timeout: "1m", onStart: () => abort.abort() }),
  )
  expect(await running).toMatchObject({ _tag: "SandboxError", reason: { _tag: "Cancelled" } })
  const early = failureOf(sandbox.run("echo no", { signal: AbortSignal.abort() }))
  expect(await early).toMatchObject({ reason: { _tag: "Cancelled" } })
  expect((await sandbox.run("echo next")).stdout).toBe("next\n")
})

it("yields text as it is written and the exit last; leaving the loop kills the script", async () => {
  await using sandbox = await Sandbox.open()
  const events: Array<string | number> = []
  for await (const event of sandbox.events("echo one; echo two >&2; exit 4")) {
    events.push(event._tag === "ScriptText" ? `${event.stream} ${event.text}` : event.exitCode)
  }
  expect(events.at(-1)).toBe(4)
  expect(events.slice(0, -1).sort()).toEqual(["stderr two\n", "stdout one\n"])
  for await (const event of sandbox.events("yes")) {
    expect(event).toMatchObject({ _tag: "ScriptText" })
    break
  }
  expect((await sandbox.run("echo after")).stdout).toBe("after\n")
  const abort = new AbortController()
  const aborted = (async () => {
    for await (const _ of sandbox.events("yes", { signal: abort.signal })) abort.abort()
  })()
  expect(await failureOf(aborted)).toMatchObject({ reason: { _tag: "Cancelled" } })
})

it("refuses unknown options, and everything once it is closed", async () => {
  // @ts-expect-error -- JavaScript may give anything.
  expect(await failureOf(Sandbox.open({ mount: {} }))).toMatchObject({ _tag: "OptionError", option: "mount" })
  expect(await failureOf(Sandbox.open({ timeout: "soon" as "1s" }))).toMatchObject({ _tag: "OptionError" })
  expect(await failureOf(Sandbox.open({ files: { "/dev/null/x": "" } }))).toMatchObject({
    _tag: "SandboxError",
    reason: { _tag: "FileFailed", code: "ENOTDIR" },
  })
  const sandbox = await Sandbox.open()
  // @ts-expect-error -- JavaScript may give anything.
  expect(await failureOf(sandbox.run("true", { timout: 5 }))).toMatchObject({ _tag: "OptionError", option: "timout" })
  const running = failureOf(sandbox.run("sleep 60"))
  await sandbox.close()
  await sandbox.close()
  expect(await running).toMatchObject({ reason: { _tag: "Closed" } })
  expect(await failureOf(sandbox.run("true"))).toMatchObject({ reason: { _tag: "Closed" } })
})

it("compares with a fork and a snapshot, and commits approved changes", async () => {
  await using sandbox = await Sandbox.open({ mounts: { "/work": overlay(memory()) }, cwd: "/work" })
  const before = await sandbox.snapshot()
  await using fork = await sandbox.fork()
  await fork.run("echo a > a; echo b > b")
  const { changes, patch } = await fork.diff(sandbox)
  expect(changes.map(({ path }) => path)).toEqual(["/work/a", "/work/b"])
  expect((await fork.diff(before)).patch).toBe(patch)
  const outcomes = await fork.commit({
    approve: async ({ path, readAfter, readBefore, readPatch }) => {
      expect((await readBefore()).length).toBe(0)
      return new TextDecoder().decode(await readAfter()) === "a\n" && (await readPatch()).includes("+a") &&
        path === "/work/a"
    },
  })
  expect(outcomes.map(({ status }) => status)).toEqual(["committed", "declined"])
  const failed = fork.commit({ approve: () => Promise.reject(new Error("no")) })
  await expect(failed).rejects.toThrow("no")
})
