/**
 * Measures what isolation costs a command that does nothing: the local leaf, the isolated leaf by both engines, and bare
 * bubblewrap, in interleaved rounds; prints medians in milliseconds.
 *
 * `npx deno run -A bench/isolation/overhead.ts [ROUNDS]`, on any runtime.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LocalShell, ShellExec } from "../../mod.ts"
import { IsolatedShell } from "../../src/leaves/isolated/mod.ts"
import type { ShellService } from "../../src/shell/ShellService.ts"
import * as Stream from "effect/Stream"

const rounds = Number(process.argv[2] ?? 40)
const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluice-overhead-")))
const scope = Effect.runSync(Scope.make())
const make = <E>(
  effect: Effect.Effect<ShellService, E, Scope.Scope>,
): Promise<ShellService> => Effect.runPromise(Scope.provide(effect, scope))

const byLeaf = (shell: ShellService) => (): Promise<void> =>
  Effect.runPromise(
    Stream.runDrain(shell.exec(ShellExec.make("/usr/bin/true"))),
  )

const bare = (words: ReadonlyArray<string>) => (): Promise<void> =>
  new Promise((resolve, reject) => {
    const [program = "", ...args] = words
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
    child.stdout.resume()
    child.stderr.resume()
    child.once("error", reject)
    child.once("close", () => resolve())
  })

/** As few walls as any use of bubblewrap has. */
const bwrap = [
  ...[
    "bwrap",
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/usr",
    "/usr",
  ],
  ...[
    "--symlink",
    "usr/bin",
    "/bin",
    "--symlink",
    "usr/lib",
    "/lib",
    "--symlink",
    "usr/lib64",
    "/lib64",
  ],
  ...[
    "--ro-bind",
    "/etc",
    "/etc",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    "--bind",
    folder,
    folder,
  ],
]

const isolated = (
  engine: IsolatedShell.IsolationEngine,
): Promise<ShellService> => make(IsolatedShell.make({ engine, writable: [folder] }))

const ways: ReadonlyArray<
  readonly [name: string, run: () => Promise<void>, times: number]
> = [
  ["bare program", bare(["/usr/bin/true"]), 3],
  ["bare bwrap", bare([...bwrap, "/usr/bin/true"]), 3],
  ["local leaf", byLeaf(await make(LocalShell.make())), 3],
  ["isolated leaf, bwrap", byLeaf(await isolated("bwrap")), 3],
  ["isolated leaf, unshare", byLeaf(await isolated("unshare")), 1],
]

const times = new Map<string, Array<number>>(ways.map(([name]) => [name, []]))
for (let round = -3; round < rounds; round++) {
  for (const [name, run, count] of ways) {
    for (let each = 0; each < count; each++) {
      const start = performance.now()
      await run()
      if (round >= 0) times.get(name)?.push(performance.now() - start)
    }
  }
}
for (const [name, all] of times) {
  const sorted = all.toSorted((a, b) => a - b)
  console.log(
    `${name.padEnd(24)} median ${sorted[sorted.length >> 1]?.toFixed(2)}  best ${sorted[0]?.toFixed(2)}`,
  )
}
await Effect.runPromise(Scope.close(scope, Exit.void))
rmSync(folder, { recursive: true, force: true })
