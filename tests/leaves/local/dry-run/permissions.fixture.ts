/** Says what would be run under whatever permissions Deno was given, and prints it as JSON. */
import * as Effect from "effect/Effect"
import { cmd } from "../../../../src/command/template.ts"
import { DryRunShell } from "../../../../src/leaves/local/DryRunShell.ts"
import { Shell } from "../../../../src/shell/Shell.ts"

const { stdout } = await Effect.runPromise(Shell.run(cmd`ls ${"a b"}`).pipe(Effect.provide(DryRunShell.layer)))
console.log(JSON.stringify(stdout.split("\n")[0]))
