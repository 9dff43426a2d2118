/** A request gets its id when its effect runs, over every service that has accessors. */
import { expect, it } from "@effect/vitest"
import { Database } from "@sluice/shell/database"
import { Fetch } from "@sluice/shell/fetch"
import { Git } from "@sluice/shell/git"
import { Secrets } from "@sluice/shell/secrets"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const seen: Array<string> = []
const request = ({ correlationId }: { readonly correlationId: string }): Stream.Stream<never> =>
  Stream.suspend(() => {
    seen.push(correlationId)
    return Stream.empty
  })
const services = Layer.mergeAll(
  Layer.succeed(Database, { request }),
  Layer.succeed(Fetch, { request }),
  Layer.succeed(Git, { request }),
  Layer.succeed(Secrets, { request }),
)

const asked: Readonly<Record<string, Effect.Effect<unknown, unknown, Database | Fetch | Git | Secrets>>> = {
  "Database.query": Database.query("SELECT 1"),
  "Database.execute": Database.execute("DELETE FROM a"),
  "Database.transaction": Database.transaction(["DELETE FROM a"]),
  "Fetch.send": Fetch.send("https://example.org/"),
  "Fetch.text": Fetch.text("https://example.org/"),
  "Git.status": Git.status(),
  "Git.commit": Git.commit("message"),
  "Secrets.get": Secrets.get("github"),
  "Secrets.list": Secrets.list(),
}

it.effect.each(Object.entries(asked))(
  "%s makes a new request each time that it runs",
  ([, effect]) =>
    Effect.gen(function* () {
      seen.length = 0
      yield* Effect.exit(effect)
      yield* Effect.exit(effect)
      expect(new Set(seen).size).toBe(2)
    }).pipe(Effect.provide(services)),
)
