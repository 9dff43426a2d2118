import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "../../../mod.ts"

await Effect.runPromise(
  Shell.exec(ShellExec.make("git", ["log"])).pipe(
    Stream.runForEach((event) => Effect.sync(() => event._tag === "ShellOutputChunk" && console.log(event.content))),
    Effect.provide(LocalShell.layer),
  ),
)
