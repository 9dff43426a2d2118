import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, renameSync, symlinkSync } from "node:fs"
import { findHost } from "../../../../src/host/findHost.ts"
import type { Host } from "../../../../src/host/Host.ts"
import { resolveLocalSettings } from "../../../../src/leaves/local/LocalShellOptions.ts"
import { makeLocalShell } from "../../../../src/leaves/local/makeLocalService.ts"
import { ShellExec } from "../../../../src/command/ShellExec.ts"
import { Shell } from "../../../../src/shell/Shell.ts"
import { workshop } from "../../../support/workshop.ts"

const host = (): Host => {
  const found = findHost()
  if (found === undefined) throw new Error("no host")
  return found
}

const run = (on: Host, exec: ShellExec, directory: string) =>
  Effect.gen(function* () {
    const shell = makeLocalShell(on, resolveLocalSettings({}))
    const sighting = shell.files?.directory(directory)
    const pinned = sighting?._tag === "Seen" ? { directory: sighting.seen } : undefined
    return yield* Shell.run(exec).pipe(
      Effect.map(({ stdout }) => stdout.trim()),
      Effect.catchTag("ShellFault", ({ message }) => Effect.succeed(message)),
      Effect.provideService(Shell, { ...shell, exec: (each) => shell.exec(each, { constraints: pinned }) }),
    )
  })

if (process.platform === "linux") {
  it.live("starts in the very directory that was checked, also when it is exchanged at the last moment", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      shop.makeDirectory("checked")
      shop.makeDirectory("other")
      const real = host()
      // Between the last look and the start there is nothing but the spawn.
      const late: Host = {
        ...real,
        spawn: (request) => {
          renameSync(shop.path("checked"), shop.path("moved"))
          symlinkSync(shop.path("other"), shop.path("checked"))
          return real.spawn(request)
        },
      }
      expect(yield* run(late, ShellExec.make("pwd", ["-P"]), shop.path("checked"))).toBe(shop.path("moved"))
    }))

  it.live("lets go of the directory when the process has started, or could not be", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const real = host()
      let held = 0
      const hold = real.hold
      if (hold === undefined) throw new Error("nothing is held here")
      const counted: Host = {
        ...real,
        hold: (path) => {
          const directory = hold(path)
          if (directory === undefined) return undefined
          held++
          return {
            ...directory,
            release: () => {
              held--
              directory.release()
            },
          }
        },
      }
      expect(yield* run(counted, ShellExec.make("pwd"), shop.directory)).toBe(shop.directory)
      const refused: Host = {
        ...counted,
        spawn: () => {
          throw Object.assign(new Error("spawn EAGAIN"), { code: "EAGAIN" })
        },
      }
      expect(yield* run(refused, ShellExec.make("pwd"), shop.directory)).toMatch(/^exec: /)
      expect(held).toBe(0)
    }))
}

it.live("checks again if a directory cannot be held open", () =>
  Effect.gen(function* () {
    const shop = yield* workshop
    shop.makeDirectory("checked")
    const real = host()
    const without: Host = { ...real, hold: undefined }
    const shell = makeLocalShell(without, resolveLocalSettings({}))
    const sighting = shell.files?.directory(shop.path("checked"))
    if (sighting?._tag !== "Seen") throw new Error("it is there")
    renameSync(shop.path("checked"), shop.path("moved"))
    mkdirSync(shop.path("checked"))
    const { message } = yield* Shell.run(ShellExec.make("pwd")).pipe(
      Effect.flip,
      Effect.provideService(Shell, {
        ...shell,
        exec: (each) => shell.exec(each, { constraints: { directory: sighting.seen } }),
      }),
    )
    expect(message).toBe(
      `exec: the working directory ${shop.path("checked")} is not the one that was checked (NOT_ALLOWED)`,
    )
  }))
