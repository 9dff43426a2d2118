/** Makes the isolated leaf and runs a command; prints the error's tag and message, or the output: `make.fixture.ts OPTIONS`. */
import * as Effect from "effect/Effect"
import { Shell, ShellExec } from "../../../../mod.ts"
import { IsolatedShell } from "../../../../src/leaves/isolated/mod.ts"

const run = Shell.text(ShellExec.make("/bin/echo", ["isolated"]))
const layer = IsolatedShell.layerWith(JSON.parse(process.argv[2] ?? ""))
const answer = await Effect.runPromise(
  Effect.provide(run, layer).pipe(Effect.catch(({ _tag, message }) => Effect.succeed(`${_tag}: ${message}`))),
)
console.log(JSON.stringify(answer))
