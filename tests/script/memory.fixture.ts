/** Runs scripts that would fill the heap of this process, each beside one that does not; prints how they ended. */
import * as Effect from "effect/Effect"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"

const policy = AccessPolicy.make({ allowedCommands: ["echo", "printf", "sleep"], utilities: "contained" })

const run = (script: string) =>
  Shell.run(ShellExec.shell(script)).pipe(
    Effect.map(({ stdout }) => stdout.trim()),
    Effect.catchTag("ShellFault", ({ message, reason }) =>
      Effect.succeed(reason._tag === "ResourceExhausted" ? reason.resource : message)),
  )

const many = (body: string) => `for i in {1..400}; do ${body}\ndone; wait; echo filled`
const bombs = [
  many("{ printf -v text '%*s' 2000000 $i; sleep 100; } &"),
  many(`printf -v text '%*s' 2000000 $i; eval "f$i() { echo '$text'; }"`),
  `f() { printf -v text '%*s' 2000000 $1; if (($1 < 900)); then f $(($1 + 1)) "$text"; fi; }; f 1; echo filled`,
]

const program = Effect.forEach(bombs, (bomb) =>
  Effect.gen(function* () {
    const other = "for i in {1..10}; do sleep 0.05; done; echo other"
    for (const answer of yield* Effect.all([run(bomb), run(other)], { concurrency: 2 })) console.log(answer)
  }), { discard: true })

await Effect.runPromise(program.pipe(Effect.provide(AccessPolicy.guard(policy)(LocalShell.layer))))
