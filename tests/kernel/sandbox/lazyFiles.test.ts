import { expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { KernelShell, overlay, Sandbox } from "@sluice/shell/sandbox"
import { memory } from "@sluice/shell/sandbox"
import { Shell, ShellExec } from "@sluice/shell"

const run = async (files: Sandbox.SandboxOptions["files"], script: string, options: Sandbox.SandboxOptions = {}) => {
  await using sandbox = await Sandbox.open({ files, ...options })
  const { exitCode, stderr, stdout } = await sandbox.run(script, { check: false, timeout: "10 seconds" })
  return { exitCode, stderr, stdout }
}

const later = (content: string): Sandbox.LazyFileContent => () => Promise.resolve(content)

/** A content that is counted, and given when the test says so. */
const counted = (content: string | Uint8Array = "content\n") => {
  const { promise, resolve } = Promise.withResolvers<string | Uint8Array>()
  const state = { asked: 0, give: () => resolve(content) }
  const load: Sandbox.LazyFileContent = () => {
    state.asked++
    return promise
  }
  return { state, load }
}

it("asks for text, bytes, promises and Effects when they are read, in every way that scripts read", async () => {
  const files = {
    sync: () => "sync\n",
    bytes: () => new Uint8Array([98, 10]),
    promise: later("promise\n"),
    effect: () => Effect.as(Effect.sleep(5), "effect\n"),
    "script.sh": later("echo sourced $1"),
    "deep/data.json": { content: later('{"a": [1, 2]}'), mode: 0o600 },
  }
  const script =
    `cat sync bytes promise; sort < effect; . ./script.sh x; jq .a[1] deep/data.json; stat -c %a deep/data.json
    echo "$(<promise)"; tail -c 4 effect; head -1 promise; wc -c promise; cp effect copy; cat copy; grep -c e promise`
  expect(await run(files, script)).toEqual({
    exitCode: 0,
    stderr: "",
    stdout: "sync\nb\npromise\neffect\nsourced x\n2\n600\npromise\nect\npromise\n8 promise\neffect\n1\n",
  })
})

it("is read first by any tool", async () => {
  for (
    const [command, stdout] of [
      ["tail -1 f", "b\n"],
      ["tac f", "b\na\n"],
      ["wc -l < f", "2\n"],
      ["cmp f <(printf 'a\\nb\\n') && echo same", "same\n"],
      ["diff f /dev/null | wc -l", "3\n"],
      ["tar cf - f | tar xfO - ", "a\nb\n"],
      ["gzip -c f | zcat", "a\nb\n"],
      ["sed -i s/a/c/ f; cat f", "c\nb\n"],
      ["awk 'END { print NR }' f", "2\n"],
      ["while read -r x; do echo $x; done < f", "a\nb\n"],
      ["dd if=f bs=1 skip=2 status=none", "b\n"],
      ["cat f f", "a\nb\na\nb\n"],
      ["find . -name f -exec cat {} +", "a\nb\n"],
    ] as const
  ) {
    expect([command, await run({ f: later("a\nb\n") }, command)]).toEqual([command, {
      exitCode: 0,
      stderr: "",
      stdout,
    }])
  }
})

it("asks once, also for two readers at a time", async () => {
  const { load, state } = counted()
  await using sandbox = await Sandbox.open({ files: { f: load } })
  const result = sandbox.run("cat f & cat f & cat < f & wait; cat f")
  await expect.poll(() => state.asked).toBe(1)
  state.give()
  expect((await result).stdout).toBe("content\n".repeat(4))
  expect(await sandbox.readText("f")).toBe("content\n")
  expect(state.asked).toBe(1)
})

it("is listed, renamed, linked, touched and removed without being asked for", async () => {
  const { load, state } = counted()
  const mtime = new Date("2020-02-03T04:05:06Z")
  const files = { f: load, g: { content: load, size: 1_234, mtime } }
  const script =
    `stat -c '%s %F' f; stat -c '%s %Y' g; ls -l --time-style=+%F g; [ -f f ] && mv f h; ln h i; chmod 600 h
    touch -d 2021-01-01 h; find . -type f | sort; du -a >/dev/null; rm h i g; ls`
  expect(await run(files, script)).toEqual({
    exitCode: 0,
    stderr: "",
    stdout: "0 regular empty file\n1234 1580702706\n-rw-r--r-- 1 user user 1234 2020-02-03 g\n./g\n./h\n./i\n",
  })
  expect(state.asked).toBe(0)
})

it("is never asked for when it is overwritten first, and asked for when it is changed in part", async () => {
  const { load, state } = counted()
  expect((await run({ f: load }, "echo new > f; echo more >> f; cat f")).stdout).toBe("new\nmore\n")
  expect((await run({ f: load }, "truncate -s 0 f; cat f; cp /dev/null f; rm f")).stdout).toBe("")
  expect(state.asked).toBe(0)
  expect((await run({ f: later("abc\n") }, "echo more >> f; cat f")).stdout).toBe("abc\nmore\n")
  expect((await run({ f: later("abcdef") }, "truncate -s 3 f; stat -c %s f; truncate -s 5 f; od -c -An f")).stdout)
    .toBe("3\n   a   b   c  \\0  \\0\n")
})

it("gives EIO and tells the host why when it fails, and asks again later", async () => {
  const errors: Array<Sandbox.SandboxError> = []
  let asked = 0
  // Both readers wait for the first load, which fails after a while.
  const f: Sandbox.LazyFileContent = async () => {
    const number = ++asked
    if (number === 1) await new Promise((resolve) => setTimeout(resolve, 200))
    if (number < 3) throw new Error(`secret ${number}`)
    return "at last\n"
  }
  await using sandbox = await Sandbox.open({ files: { f }, onLoadError: (error) => errors.push(error) })
  const { exitCode, stderr, stdout } = await sandbox.run("cat f & cat f; wait", { check: false })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" })
  expect(stderr).toBe("cat: f: Input/output error\n".repeat(2))
  expect(errors.map(({ message, reason }) => [message, reason])).toEqual([[
    "sandbox: cannot load the content of f: secret 1 (EIO)",
    { _tag: "FileFailed", operation: "load", path: "f", code: "EIO" },
  ]])
  await expect(sandbox.readText("f")).rejects.toMatchObject({ reason: { _tag: "FileFailed", code: "EIO" } })
  expect((await sandbox.run("cat f")).stdout).toBe("at last\n")
  expect([asked, errors.length]).toEqual([3, 2])
})

it("fails in the same way for a thrown error, for an Effect and for a value of another kind", async () => {
  const messages: Array<string> = []
  const files = {
    thrown: () => {
      throw new Error("at once")
    },
    effect: () => Effect.fail("no effect"),
    number: (() => 5) as never,
  }
  const options = { onLoadError: ({ message }: Sandbox.SandboxError) => void messages.push(message) }
  expect((await run(files, "cat thrown effect number", options)).stderr).toBe(
    "cat: thrown: Input/output error\ncat: effect: Input/output error\ncat: number: Input/output error\n",
  )
  expect(messages).toEqual([
    "sandbox: cannot load the content of thrown: at once (EIO)",
    "sandbox: cannot load the content of effect: no effect (EIO)",
    "sandbox: cannot load the content of number: the content of a file must be text or bytes: number (EIO)",
  ])
})

it("counts its bytes when they are there", async () => {
  const files = { f: later("x".repeat(1_500)), g: later("x".repeat(700)) }
  const { stderr, stdout } = await run(files, "cat f; cat g | wc -c; head -c 400 /dev/zero > h", {
    limits: { maxTotalFileBytes: 1_000 },
  })
  expect(stdout).toBe("700\n")
  expect(stderr).toBe("cat: f: No space left on device\nhead: write error: No space left on device\n")
})

it("shares what was loaded with forks, which may load it as well", async () => {
  for (const loader of ["parent", "fork", "before"] as const) {
    const { load, state } = counted()
    state.give()
    await using sandbox = await Sandbox.open({ files: { f: load } })
    if (loader === "before") await sandbox.run("cat f")
    await using fork = await sandbox.fork()
    const [first, second] = loader === "fork" ? [fork, sandbox] : [sandbox, fork]
    expect((await first.run("echo more >> f; cat f")).stdout).toBe("content\nmore\n")
    expect((await second.run("cat f")).stdout).toBe("content\n")
    expect([loader, state.asked]).toEqual([loader, 1])
  }
})

it("is asked once by two forks at a time", async () => {
  const { load, state } = counted()
  await using sandbox = await Sandbox.open({ files: { f: load } })
  await using fork = await sandbox.fork()
  const results = [sandbox.run("cat f"), fork.run("cat f")]
  await expect.poll(() => state.asked).toBe(1)
  state.give()
  expect((await Promise.all(results)).map(({ stdout }) => stdout)).toEqual(["content\n", "content\n"])
  expect(state.asked).toBe(1)
})

it("is loaded for a snapshot, whose restore needs no function", async () => {
  const { load, state } = counted()
  state.give()
  await using sandbox = await Sandbox.open({ files: { "a/f": load } })
  const archive = await sandbox.snapshot()
  await using other = await Sandbox.open()
  await other.restore(archive)
  expect([await other.readText("a/f"), state.asked]).toEqual(["content\n", 1])
  const failing = { f: () => Promise.reject(new Error("gone")) }
  await using broken = await Sandbox.open({ files: failing, onLoadError: () => {} })
  await expect(broken.snapshot()).rejects.toMatchObject({ reason: { _tag: "SnapshotFailed" } })
})

it("is in the upper layer of an overlay, and refused where files are not in memory", async () => {
  const mounts = { "/data": overlay(memory()) }
  expect((await run({ "/data/f": later("in\n") }, "cat /data/f", { mounts })).stdout).toBe("in\n")
  await expect(Sandbox.open({ files: { "/dev/f": () => "" } })).rejects.toMatchObject({
    reason: { _tag: "FileFailed" },
  })
})

it("stops loading when the sandbox is closed, but not while a fork lives", async () => {
  const aborted: Array<string> = []
  const load = (name: string): Sandbox.LazyFileContent => (signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        aborted.push(name)
        resolve("")
      })
    })
  const effect = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void aborted.push("effect")))
  const sandbox = await Sandbox.open({ files: { promise: load("promise"), effect } })
  const fork = await sandbox.fork()
  await sandbox.run("cat promise & cat effect", { timeout: "50 millis" }).catch(() => {})
  await sandbox.close()
  expect(aborted).toEqual([])
  await fork.close()
  await expect.poll(() => aborted.sort()).toEqual(["effect", "promise"])
})

it("is a file of a KernelShell", async () => {
  const layer = KernelShell.layerWith({ files: { f: later("lazy\n") } })
  const { stdout } = await Effect.runPromise(Effect.provide(Shell.run(ShellExec.make("cat", ["f"])), layer))
  expect(stdout).toBe("lazy\n")
})

it("refuses invalid sizes and times", async () => {
  const content = () => ""
  await expect(Sandbox.open({ files: { f: { content, size: -1 } } })).rejects.toThrow(/size/)
  await expect(Sandbox.open({ files: { f: { content, mtime: new Date("x") } } })).rejects.toThrow(/mtime/)
})

it("fails with EIO also where the reason is a value without text, or a message that throws", async () => {
  const textless: unknown = Object.create(null)
  const throwing = Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("no message")
    },
  })
  for (const cause of [textless, throwing]) {
    for (const load of [() => Promise.reject(cause), () => Effect.runSync(Effect.die(cause))]) {
      const messages: Array<string> = []
      const { stderr } = await run({ f: load }, "cat f", { onLoadError: ({ message }) => void messages.push(message) })
      expect(stderr).toBe("cat: f: Input/output error\n")
      expect(messages[0]).toContain("the thrown value has no text")
    }
  }
})

it("refuses a size that no file has", async () => {
  const file = { content: () => "abc", size: Infinity }
  await expect(Sandbox.open({ files: { f: file } })).rejects.toThrow(/size must be a whole number from 0, got Infinity/)
})
