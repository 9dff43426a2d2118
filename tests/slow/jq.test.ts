/** jq, by its own tests. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { output, withPrograms } from "./support.ts"

it.live(
  "jq's own tests pass, but for those that call 10,000 deep, for which the stack of a runtime is too small",
  () =>
    withPrograms(["awk", "jq"], (sandbox) =>
      Effect.gen(function* () {
        // Tests are paragraphs of the file.
        const shallow = `awk 'BEGIN { RS = ""; ORS = "\\n\\n" } !/range\\(1000[01]\\)/'`
        for (const [file, tests] of [["jq.test", 300], ["onig.test", 20], ["base64.test", 5]] as const) {
          const said = yield* output(
            sandbox,
            `${shallow} /usr/share/jq/${file} | jq -L /usr/share/jq/modules --run-tests 2> /dev/null | tail -1`,
          )
          const [, passed = "", all = ""] = /^(\d+) of (\d+) tests passed \(0 malformed\)\n$/.exec(said) ?? []
          expect([file, passed]).toEqual([file, all])
          expect(Number(all)).toBeGreaterThanOrEqual(tests)
        }
      })),
  240_000,
)
