import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Errno } from "@sluice/shell/kernel"
import { hostFolder, memory, overlay, readOnly, Sandbox } from "@sluice/shell/sandbox"
import type { Volume } from "../../../src/kernel/fs/Node.ts"
import { workshop } from "../../support/workshop.ts"
import { stdoutOf, withSandbox } from "./support.ts"

it.live("begins with a home, a folder for temporary files, and devices", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      expect(yield* stdoutOf(sandbox, "pwd; echo $HOME $USER $TMPDIR; stat -c %a /tmp; ls -a")).toBe(
        "/home/user\n/home/user user /tmp\n1777\n.\n..\n",
      )
      expect(yield* stdoutOf(sandbox, "echo x > /dev/null; head -c 3 /dev/zero | od -An -tx1")).toMatch(/00 00 00/)
    })
  ))

it.live("writes initial files at their paths, with their modes", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const script = "cat a.txt sub/b /etc/c; ./run; stat -c %a a.txt run"
      expect(yield* stdoutOf(sandbox, script)).toBe("a\nb\nc\nran\n644\n755\n")
    }), {
    cwd: "/work",
    files: {
      "a.txt": "a\n",
      "sub/b": new TextEncoder().encode("b\n"),
      "/etc/c": "c\n",
      "run": { content: "#!/bin/sh\necho ran\n", mode: 0o755 },
    },
  }))

it.live("limits the growth of files in writable host folders; removing files makes room", () =>
  Effect.scoped(Effect.gen(function* () {
    const { path, read, write } = yield* workshop
    write("in/old", "x".repeat(5_000))
    const sandbox = yield* Sandbox.make({
      mounts: { "/rw": hostFolder(path("in")) },
      limits: { maxTotalFileBytes: 10_000 },
    })
    const run = (script: string) =>
      Effect.map(sandbox.run(`cd /rw; ${script}`), ({ exitCode, stderr }) => ({ exitCode, stderr }))
    const full = { exitCode: 1, stderr: expect.stringContaining("No space left on device") }
    const fine = { exitCode: 0, stderr: "" }
    expect(yield* run("head -c 9000 /dev/zero > a")).toEqual(fine)
    expect(yield* run("head -c 2000 /dev/zero > b")).toMatchObject(full)
    expect(read("in/b").length).toBe(1_000)
    // Writing over what is there takes nothing; appending, making longer and holes do.
    expect(yield* run("printf yyy 1<> old")).toEqual(fine)
    expect(yield* run("echo more >> old")).toMatchObject(full)
    expect(yield* run("truncate -s 20000 old")).toMatchObject(full)
    expect(yield* run("rm b; head -c 1000 /dev/zero >> a")).toEqual(fine)
    expect(yield* run("echo x > c")).toMatchObject(full)
    expect(yield* run("truncate -s 0 a; head -c 9000 /dev/zero > c; mv c a; head -c 900 /dev/zero > c")).toEqual(fine)
    // A file that is open counts when its name is gone, until it is closed.
    expect(yield* run("exec 3<>a; rm a; head -c 2000 /dev/zero > d")).toMatchObject(full)
    expect(yield* run("exec 3>&-; rm -f d; head -c 9000 /dev/zero > d")).toEqual(fine)
    // What was there before makes room as well, but never more than the limit.
    expect(yield* run("rm old d c; head -c 10000 /dev/zero > e")).toEqual(fine)
    expect(yield* run("head -c 1 /dev/zero >> e")).toMatchObject(full)
  })))

it.live("shows the mounted host folders, and nothing else of the host", () =>
  Effect.scoped(Effect.gen(function* () {
    const { directory, path, read, write } = yield* workshop
    write("in/file", "host\n")
    write("secret", "secret\n")
    const folder = hostFolder(path("in"))
    const sandbox = yield* Sandbox.make({
      mounts: { "/rw": folder, "/ro": readOnly(folder), "/over/lay": overlay(folder) },
    })
    expect(yield* stdoutOf(sandbox, "cat /rw/file /ro/file /over/lay/file; ls /")).toBe(
      "host\nhost\nhost\nbin\ndev\nhome\nover\nro\nrw\ntmp\nusr\n",
    )
    const script = `echo kept > /over/lay/file; cat /over/lay/file
      echo no > /ro/file || echo refused
      echo written > /rw/new
      cat /rw/../secret ${directory}/secret || echo gone`
    expect(yield* stdoutOf(sandbox, script)).toBe("kept\nrefused\ngone\n")
    expect([read("in/file"), read("in/new")]).toEqual(["host\n", "written\n"])
  })))

it.live("mounts a given volume at the root", () =>
  withSandbox(
    (sandbox) =>
      Effect.map(stdoutOf(sandbox, "echo x > /f || echo refused; ls /"), (text) =>
        expect(text).toBe("refused\nbin\ndev\nhome\nusr\n")),
    {
      mounts: { "/": readOnly(overlay(withHome)) },
      cwd: "/home",
    },
  ))

it.live("fails with the path and errno of a failed mount or file", () =>
  Effect.gen(function* () {
    const broken: Volume = () => -Errno.EIO
    const failure = (options: Sandbox.SandboxOptions) =>
      Effect.flip(Effect.catchTag(Effect.scoped(Sandbox.make(options)), "OptionError", Effect.die))
    const cases: ReadonlyArray<readonly [Sandbox.SandboxOptions, Sandbox.SandboxError["reason"]]> = [
      [{ mounts: { "/data": broken } }, { _tag: "MountFailed", path: "/data", code: "EIO" }],
      [{ mounts: { "/": broken } }, { _tag: "MountFailed", path: "/", code: "EIO" }],
      [{ mounts: { "data": memory() } }, { _tag: "MountFailed", path: "data", code: "EINVAL" }],
      [{ mounts: { "/a": hostFolder("/no/such/folder") } }, { _tag: "MountFailed", path: "/a", code: "ENOENT" }],
      [{ mounts: { "/": readOnly(memory()) } }, {
        _tag: "FileFailed",
        operation: "make",
        path: "/home/user",
        code: "EROFS",
      }],
      [{ files: { "/dev/null/x": "" } }, {
        _tag: "FileFailed",
        operation: "write",
        path: "/dev/null/x",
        code: "ENOTDIR",
      }],
      [
        { files: { big: "12345" }, limits: { maxTotalFileBytes: 4 } },
        { _tag: "FileFailed", operation: "write", path: "big", code: "ENOSPC" },
      ],
    ]
    for (const [options, reason] of cases) expect((yield* failure(options)).reason).toEqual(reason)
  }))

/** Memory with a folder in it. */
const withHome: Volume = (context) => {
  const root = memory()(context)
  if (typeof root !== "number") root.createFolder("home", 0o755)
  return root
}
