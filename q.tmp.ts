import { Sandbox } from "@sluice/shell/kernel"
import { Effect } from "effect"
const r = await Effect.runPromise(Effect.scoped(Effect.flatMap(Sandbox.make(), (s) => s.run(`printf 'a+b\naab\n' | fgrep 'a+b'; echo $?; type fgrep egrep`))))
console.log(r)
