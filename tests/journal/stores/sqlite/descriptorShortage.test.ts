import { expect, it } from "vitest"
import * as Schema from "effect/Schema"
import { scriptAnswer } from "../../../support/script.ts"

const Answers = Schema.Array(Schema.Tuple([Schema.Int, Schema.String, Schema.String, Schema.Boolean]))

const shortage =
  "Unavailable this process has no free file descriptors; close some, or raise its limit (ulimit -n) (EMFILE)"

it.runIf(process.platform !== "win32")(
  "says that the process is out of file descriptors, opens nothing for reading alone, and leaves no empty file",
  async () => {
    const answers = await scriptAnswer(Answers, new URL("./descriptors.fixture.ts", import.meta.url), [], {
      before: ["/bin/sh", "-c", 'ulimit -n 128; exec "$@"', "sh"],
    })
    expect(answers).toEqual([
      [0, shortage, shortage, false],
      [1, shortage, shortage, false],
      [2, shortage, shortage, false],
      [3, shortage, "done", false],
      [8, "done", "done", true],
    ])
  },
)
