/** Runs scripts in the portable shell on the local leaf, each in a folder of its own, and writes what came of them. */
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"

const [place = "", scripts = "", answers = ""] = process.argv.slice(2)
const given: ReadonlyArray<string> = JSON.parse(readFileSync(scripts, "utf8"))

const all = Effect.forEach(
  given,
  (script, index) =>
    Shell.run(ShellExec.shell(script, { shell: "portable", cwd: join(place, String(index)), timeout: "20 seconds" }))
      .pipe(
        Effect.map(({ exitCode, stdout }) => ({ status: exitCode, stdout })),
        Effect.catchTag("ShellFault", ({ message }) => Effect.succeed({ status: -1, stdout: message })),
      ),
)
writeFileSync(answers, JSON.stringify(await Effect.runPromise(Effect.provide(all, LocalShell.layer))))
