/**
 * A folder within a root is exchanged with a link to `/etc`, as fast as another process can, while commands are started
 * in it. `SLUICE_SWAPPED_CALLS` says how many; the run that the architecture tells of had 20,000 on each runtime.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import type { ShellFault } from "../../../src/command/ShellFault.ts"
import { LocalShell } from "../../../src/leaves/local/LocalShell.ts"
import { AccessPolicy } from "../../../src/policy/mod.ts"
import { Shell } from "../../../src/shell/Shell.ts"
import { type Workshop, workshop } from "../../support/workshop.ts"

const calls = Number(process.env["SLUICE_SWAPPED_CALLS"] ?? "1500")

/** By a program where there is a compiler; else by a script, which leaves the name missing for a moment. */
const swapper = (shop: Workshop): ReadonlyArray<string> => {
  const source = fileURLToPath(new URL("../../support/swap.c", import.meta.url))
  const program = shop.path("swap")
  const built = spawnSync("cc", ["-O2", "-o", program, source]).status === 0
  if (built) return [program]
  const script = 'while mv -T "$1" "$1.t" && mv -T "$2" "$1" && mv -T "$1.t" "$2"; do :; done'
  return ["sh", "-c", script, "swap"]
}

/** Exchanges two names until the scope ends. */
const swapping = (shop: Workshop, a: string, b: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      const [program = "", ...words] = swapper(shop)
      return spawn(program, [...words, shop.path(a), shop.path(b)], { stdio: ["pipe", "ignore", "inherit"] })
    }),
    (child) =>
      Effect.callback<void>((resume) => {
        child.on("exit", () => resume(Effect.void))
        child.stdin?.end()
        child.kill("SIGKILL")
      }),
  ))

/** Where commands of a directory ran, and how many were refused. */
const places = (policy: AccessPolicy, make: () => ShellExec) =>
  Effect.gen(function* () {
    const ran = new Map<string, number>()
    let refused = 0
    const one = Shell.run(make()).pipe(
      Effect.map(({ stdout }) => void ran.set(stdout.trim(), (ran.get(stdout.trim()) ?? 0) + 1)),
      Effect.catchTag("ShellFault", (fault: ShellFault) =>
        Effect.sync(() => {
          refused++
          // Whatever it is, nothing has run.
          expect(["NotAllowed", "NotFound"]).toContain(fault.reason._tag)
        })),
    )
    yield* Effect.forEach(Array.from({ length: calls }), () => one, { concurrency: 4, discard: true })
    return { ran: Object.fromEntries(ran), refused }
  }).pipe(Effect.provide(AccessPolicy.guard(policy)(LocalShell.layer)))

if (process.platform === "linux") {
  it.live(`starts ${calls} commands in no folder but the one that was looked at`, () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      shop.makeDirectory("root/a")
      symlinkSync("/etc", shop.path("root/b"))
      const policy = AccessPolicy.make({ allowedCommands: ["pwd"], allowedCwdRoots: [shop.path("root")] })
      yield* swapping(shop, "root/a", "root/b")
      const make = () => ShellExec.make("pwd", ["-P"], { cwd: shop.path("root/a") })
      const { ran, refused } = yield* places(policy, make)
      expect(Object.keys(ran).filter((place) => !place.startsWith(shop.path("root/")))).toEqual([])
      // Both were seen, or nothing was tried.
      expect([refused > 0, Object.keys(ran).length > 0]).toEqual([true, true])
      console.info(JSON.stringify({ calls, refused, ran }).replaceAll(shop.directory, ""))
    }), 1_200_000)

  it.live("keeps a root bound to its original folder when it is replaced", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      shop.makeDirectory("root")
      symlinkSync("/etc", shop.path("other"))
      const policy = AccessPolicy.make({ allowedCommands: ["pwd"], allowedCwdRoots: [shop.path("root")] })
      const exchanged = Effect.gen(function* () {
        const shell = yield* Shell
        const run = (workingDirectory: string) =>
          Shell.run(ShellExec.make("pwd", ["-P"], { cwd: workingDirectory })).pipe(
            Effect.map(({ stdout }) => stdout.trim()),
            Effect.catchTag("ShellFault", ({ reason }) => Effect.succeed(reason._tag)),
            Effect.provideService(Shell, shell),
          )
        const before = yield* run(shop.path("root"))
        yield* swapping(shop, "root", "other")
        const after = new Set<string>()
        for (let i = 0; i < calls / 4; i++) {
          after.add(yield* run("/etc"))
          after.add(yield* run(shop.path("root")))
        }
        return { before, after: [...after].sort() }
      }).pipe(Effect.provide(AccessPolicy.guard(policy)(LocalShell.layer)))
      const { after, before } = yield* exchanged
      expect(before).toBe(shop.path("root"))
      expect(after.filter((place) => place === "/etc")).toEqual([])
    }), 1_200_000)

  it.live("starts no other program when a folder of its path is exchanged", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      shop.write("bin/tool", "#!/bin/sh\necho ours\n", 0o755)
      shop.write("root/a/tool", "#!/bin/sh\necho theirs\n", 0o755)
      symlinkSync(shop.path("bin"), shop.path("root/b"))
      const policy = AccessPolicy.make({ allowedCommands: [shop.path("bin/tool")] })
      yield* swapping(shop, "root/a", "root/b")
      const { ran, refused } = yield* places(policy, () => ShellExec.make(shop.path("root/a/tool")))
      expect(Object.keys(ran)).toEqual(["ours"])
      expect(refused).toBeGreaterThan(0)
    }), 1_200_000)
}
