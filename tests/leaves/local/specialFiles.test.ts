/** FIFOs, devices and sockets where a program, a directory or an interpreter is named. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:net"
import { DryRunShell, LocalShell, Shell, ShellExec } from "@sluice/shell"
import { readFileHead } from "../../../src/host/runtimes/readFileHead.ts"
import { told } from "../../policy/support.ts"
import { faultOf } from "../../support/contract/target.ts"
import { workshop } from "../../support/workshop.ts"

const makeFifo = (path: string): void => void execFileSync("mkfifo", ["-m", "755", path])

const message = (path: string): string => `exec: "${path}" is a FIFO, a device or a socket, not a program (EACCES)`

describe.runIf(process.platform === "linux")("a file that is not regular", () => {
  it.live("is not a program, and is not opened", () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      makeFifo(path("fifo"))
      const server = createServer().listen(path("socket"))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      yield* Effect.callback<void>((resume) => void server.once("listening", () => resume(Effect.void)))
      fs.chmodSync(path("socket"), 0o755)
      for (const file of [path("fifo"), path("socket"), "/dev/null", "/dev/tty"]) {
        const fault = yield* faultOf(ShellExec.make(file, [], { timeout: "1 second" }))
        expect(fault.reason).toEqual({ _tag: "PermissionDenied", path: file, code: "EACCES" })
        expect(fault.message).toBe(message(file))
      }
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live("is passed over in PATH, and refused as the shell, the interpreter and the directory", () =>
    Effect.gen(function* () {
      const { directory, path, write } = yield* workshop
      makeFifo(path("true"))
      const found = yield* Shell.run(
        ShellExec.make("true", [], { env: { PATH: `${directory}:${process.env["PATH"]}` } }),
      )
      expect(found.exitCode).toBe(0)
      write("script", `#!${path("true")}\n`, 0o755)
      const script = yield* faultOf(ShellExec.make(path("script"), [], { timeout: "1 second" }))
      expect(script.reason._tag).toBe("PermissionDenied")
      const inFifo = yield* faultOf(ShellExec.make("true", [], { cwd: path("true") }))
      expect(inFifo.reason).toEqual({
        _tag: "NotFound",
        what: "workingDirectory",
        path: path("true"),
        code: "ENOTDIR",
      })
      const shell = LocalShell.layerWith({ defaultShell: path("true") })
      const asShell = yield* Effect.provide(faultOf(ShellExec.shell("true", { timeout: "1 second" })), shell)
      expect(asShell.message).toBe(message(path("true")))
    }).pipe(Effect.provide(LocalShell.layer)))

  it.live("is not opened by a dry run nor by an access policy", () =>
    Effect.gen(function* () {
      const { directory, path } = yield* workshop
      makeFifo(path("fifo"))
      const exec = ShellExec.make(path("fifo"))
      expect((yield* Effect.provide(faultOf(exec), DryRunShell.layer)).message).toBe(message(path("fifo")))
      expect(yield* told({ allowedCommands: ["fifo"], searchPath: directory }, "fifo")).toContain("may not be executed")
    }))

  it.live("has no first bytes, whatever the path led to before", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      makeFifo(path("fifo"))
      write("file", "#!/bin/sh\n")
      expect(readFileHead(fs, path("file"), 2)).toEqual(new Uint8Array([0x23, 0x21]))
      expect(readFileHead(fs, path("fifo"), 2)).toBeUndefined()
      const swapped = { ...fs, statSync: () => fs.statSync(path("file")) }
      expect(Reflect.apply(readFileHead, undefined, [swapped, path("fifo"), 2])).toBeUndefined()
    }))
})
