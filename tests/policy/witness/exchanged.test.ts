/**
 * Scripts that open files, change the directory and match patterns in a folder that another process exchanges with a link to
 * outside of the root: nothing outside is created, changed or printed. `SLUICE_SWAPPED_CALLS` says how many scripts: the run
 * that the architecture tells of had 20,000 on each runtime.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { AccessPolicy } from "../../../src/policy/mod.ts"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"
import { atMost } from "../../support/atMost.ts"
import { type Exchange, outsideName, secret, startExchange } from "./exchange.ts"

const calls = Number(process.env["SLUICE_SWAPPED_CALLS"] ?? 1_000)

/** `N` is a number of the script's own. Each prints `inside`, or leaves it in a file, where it was let in. */
const scripts: ReadonlyArray<string> = [
  "echo inside N > d/newN && echo inside",
  "echo inside >> d/g && echo inside",
  "cat < d/f",
  "read -r l < d/f; echo $l",
  "echo inside > file; cat < file",
  "echo inside >> file && echo inside",
  "cd d && cat f",
  "cd d/inner && cat < f; cd ..; cat < f",
  "(cd d && echo inside > hereN && echo *)",
  "echo d/*",
  "for f in d/* d/*/*; do echo $f; done",
  "[ -e d/only-outside ] && echo only-outside; [ -f d/f ] && echo inside",
  "exec 3> d/heldN && echo inside >&3 && echo inside",
  'cat <<< x > d/f; mapfile -t a < d/f; echo "${a[@]}"; cat < d/f',
  "{ echo inside; ls > d/listN; } 2> d/errN; cat < d/errN",
  "cd d; pwd; echo $PWD; echo inside > f; cat < f",
  ". d/f; source d/f",
  "cd d && cd inner && cd .. && echo * && pwd -P",
]

interface Seen {
  /** What each script printed. */
  readonly answers: ReadonlyArray<readonly [script: string, output: string]>
  /** How scripts ended. */
  readonly endings: Readonly<Record<string, number>>
}

const runAll = (root: string, count: number): Effect.Effect<Seen, never, Shell> => {
  const endings: Record<string, number> = {}
  const run = (i: number) => {
    const script = (scripts[i % scripts.length] ?? "").replaceAll("N", String(i))
    return Shell.run(ShellExec.shell(script, { cwd: root, timeout: "20 seconds" })).pipe(
      Effect.map(({ stderr, stdout }) => ["ran", stdout + stderr] as const),
      Effect.catchTag(
        "ShellFault",
        ({ reason, stderr, stdout }) => Effect.succeed([reason._tag, stdout + stderr] as const),
      ),
      Effect.map(([ending, output]) => {
        endings[ending] = (endings[ending] ?? 0) + 1
        return [script, output] as const
      }),
    )
  }
  return Effect.map(
    atMost(4, Array.from({ length: count }, (_, i) => i), run),
    (answers) => ({ answers, endings }),
  )
}

const exchanging = Effect.acquireRelease(
  Effect.sync(startExchange),
  ({ remove, stop }) => Effect.andThen(Effect.promise(stop), Effect.sync(remove)),
)

/** What of outside was printed. */
const told = ({ answers }: Seen, { outside }: Exchange) =>
  answers.filter(([, output]) => [secret, outsideName, outside].some((text) => output.includes(text)))

it.live(
  `lets ${calls} scripts reach nothing outside of a root while a folder is exchanged`,
  () =>
    Effect.gen(function* () {
      const exchange = yield* exchanging
      const { root } = exchange
      const before = exchange.state()
      const policy = AccessPolicy.make({
        ...{ allowedCommands: "cat echo ls pwd cd".split(" "), allowedCwdRoots: [root], redirects: "roots" },
      })
      const seen = yield* Effect.provide(runAll(root, calls), AccessPolicy.guard(policy)(LocalShell.layer))
      const swaps = yield* Effect.promise(exchange.stop)
      const inside = seen.answers.filter(([, output]) => output.includes("inside")).length
      console.info(JSON.stringify({ calls, swaps, inside, ...seen.endings }))
      expect(exchange.state()).toEqual(before)
      expect(told(seen, exchange)).toEqual([])
      // Both were seen, or nothing was tried.
      expect([inside > calls / 20, inside < calls, swaps > calls]).toEqual([true, true, true])
    }),
  3_600_000,
)

it.live("detects an escape: a shell without a policy has one", () =>
  Effect.gen(function* () {
    const exchange = yield* exchanging
    const before = exchange.state()
    const seen = yield* Effect.provide(runAll(exchange.root, 200), LocalShell.layerWith({ defaultShell: "bash" }))
    expect(told(seen, exchange).length).toBeGreaterThan(0)
    expect(exchange.state()).not.toEqual(before)
  }))
