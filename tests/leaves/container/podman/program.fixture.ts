/** A program that runs one command in a container, and prints its output once the container is gone: `program.fixture.ts OPTIONS`. */
import * as Effect from "effect/Effect"
import { Shell, ShellExec } from "../../../../mod.ts"
import { ContainerShell } from "../../../../src/leaves/container/mod.ts"

const layer = ContainerShell.layer(JSON.parse(process.argv[2] ?? ""))
console.log(await Effect.runPromise(Effect.provide(Shell.text(ShellExec.make("echo", ["ended"])), layer)))
