/** Folders that WASI programs are given by name. */
import { expect, it } from "@effect/vitest"
import { KernelShell } from "@sluice/shell/sandbox"
import { Shell, ShellExec } from "@sluice/shell"
import * as Effect from "effect/Effect"
import { touch } from "../../support/touchProgram.ts"
import { stdoutOf, withSandbox } from "./support.ts"

const files = { "/srv/data/": "", "/home/user/work/": "" }

it.live("a program finds the folders that it is given, and nothing else, from descriptor 3 on", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      expect(yield* stdoutOf(sandbox, "touch; echo $?; ls /srv/data; ls")).toBe("0\nmade\nwork\n")
      expect(yield* stdoutOf(sandbox, "whole; echo $?; ls m*")).toBe("0\nmade\n")
    }), {
    files,
    programs: { touch: { source: touch("made"), preopens: { data: "/srv/data" } }, whole: touch("made") },
  }))

it.live("the sandbox's preopens apply to programs without their own, in place and in workers", () =>
  Effect.gen(function* () {
    for (const isolate of ["none", "worker"] as const) {
      yield* withSandbox((sandbox) =>
        Effect.gen(function* () {
          expect(yield* stdoutOf(sandbox, "first; second; ls /srv/data; echo; ls work")).toBe("one\n\ntwo\n")
        }), {
        files,
        isolate,
        preopens: { data: "/srv/data", work: "work" },
        programs: { first: touch("one"), second: { source: touch("two"), preopens: { ".": "work", "/": "/" } } },
      })
    }
  }))

it.live("an absolute link starts at the folder that a program is given, as after chroot(2), and never leads out of it", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      expect(yield* stdoutOf(sandbox, "ln -s /srv/data /l; cd /; whole; echo $?; ls /srv/data")).toBe("0\nmade\n")
      yield* sandbox.run("rm /srv/data/made; mkdir /srv/data/sub; ln -s /sub /srv/data/l")
      expect(yield* stdoutOf(sandbox, "narrow; echo $?; ls /srv/data/sub")).toBe("0\nmade\n")
      // ENOENT is 44: what is outside is not seen, whatever the link says.
      for (const out of ["/home/user", "/../../home/user", "/sub/../../home/user", "/l"]) {
        yield* sandbox.run(`rm /srv/data/l; ln -s ${out} /srv/data/l`)
        expect(yield* stdoutOf(sandbox, "narrow; echo $?; ls -A /home/user/work")).toMatch(/^(44|32)\n$/)
      }
    }), {
    files,
    programs: { whole: touch("l/made"), narrow: { source: touch("l/made"), preopens: { data: "/srv/data" } } },
  }))

it.live("a relative folder is that of the working directory", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      expect(yield* stdoutOf(sandbox, "cd work; here; cd ..; ls work . 2>&1")).toBe(".:\nwork\n\nwork:\nmade\n")
    }), { files, programs: { here: { source: touch("made"), preopens: { here: "." } } } }))

it.live("a program with a missing preopen does not run, and names it", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const { exitCode, stderr } = yield* sandbox.run("touch")
      expect(exitCode).toBe(134)
      expect(stderr).toContain("touch: Error: preopen data: cannot open /none: No such file or directory (ENOENT)\n")
    }), { programs: { touch: { source: touch("made"), preopens: { data: "/none" } } } }))

it.live("a KernelShell applies them to its programs", () =>
  Effect.gen(function* () {
    const layer = KernelShell.layerWith({ files, preopens: { data: "/srv/data" }, programs: { touch: touch("made") } })
    const { stdout } = yield* Effect.provide(
      Effect.andThen(Shell.run(ShellExec.make("touch", [])), Shell.run(ShellExec.make("ls", ["/srv/data"]))),
      layer,
    )
    expect(stdout).toBe("made\n")
  }))
