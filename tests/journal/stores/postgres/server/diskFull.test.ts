/** A full disk: the tables are on a small file system. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { postgresIsHere, useServer } from "../../../../support/postgres.ts"
import { workshop } from "../../../../support/workshop.ts"
import { append, newSchema, numbered, openStore, positionsOf, reasonOf, upTo, written } from "../support.ts"

const server = useServer()

/** A file system of 12 MiB; nothing where none may be mounted. */
const tiny = Effect.flatMap(workshop, ({ makeDirectory }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = makeDirectory("tiny")
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=12m,mode=777", "tmpfs", directory], { stdio: "ignore" })
      execFileSync("chmod", ["755", `${directory}/..`])
      return directory
    }),
    // The server has files of it open until it stops.
    (directory) => Effect.sync(() => execFileSync("umount", ["-l", directory])),
  ))

const mounts = Exit.isSuccess(await Effect.runPromise(Effect.exit(Effect.scoped(tiny))))

const here = mounts ? "" : " (left out: no file system may be mounted here)"

it.live.runIf(mounts && postgresIsHere)(
  `continues when a full disk has space again, and loses no confirmed entry${here}`,
  () =>
    Effect.gen(function* () {
      const directory = yield* tiny
      const place = server().own(directory, "tables")
      const schema = newSchema()
      yield* server().query(`CREATE TABLESPACE tiny LOCATION '${place}'`)
      const store = yield* openStore(server(), schema)
      yield* server().query(`ALTER TABLE ${schema}.journal_entry SET TABLESPACE tiny`)
      const large = () => upTo(3).map(() => written(randomBytes(75_000).toString("base64")))
      for (;;) {
        const exit = yield* Effect.exit(append(store, large(), "disk"))
        if (Exit.isFailure(exit)) break
      }
      const { position } = yield* store.head
      expect(position).toBeGreaterThan(50)
      expect(position % 3).toBe(0)
      for (const level of ["memory", "os", "disk"] as const) {
        expect(yield* reasonOf(append(store, large(), level))).toEqual({ _tag: "Full", code: "53100" })
      }
      expect(positionsOf(yield* store.scan({ maxRows: 9_999 }))).toEqual(upTo(position))
      execFileSync("mount", ["-o", "remount,size=64m", directory])
      expect(yield* append(store, large(), "disk")).toEqual(upTo(position + 3, position + 1))
      yield* store.transact("disk", (transaction) => transaction.removeThrough(position))
      expect(yield* append(store, numbered(1))).toEqual([position + 4])
      yield* server().query(`DROP SCHEMA ${schema} CASCADE`)
      yield* server().query("DROP TABLESPACE tiny")
    }),
)
