/**
 * Prints this process's identity, and what it thinks of those in its arguments (JSON), as JSON. `edge` among them
 * takes the process away first, as it is in an edge isolate.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const { argv } = process
if (argv.includes("edge")) Reflect.deleteProperty(globalThis, "process")

const { currentHost, HostIdentity, checkLiveness } = await import("../../src/branch/HostIdentity.ts")
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(HostIdentity))

const program = Effect.gen(function* () {
  const me = yield* currentHost
  const others = argv.slice(2).filter((each) => each !== "edge").map((json) => decode(json))
  return { me, again: yield* checkLiveness(me), others: yield* Effect.forEach(others, checkLiveness) }
})
console.log(JSON.stringify(await Effect.runPromise(program)))
