/**
 * The answers and calls of a model that mends `tests/fixtures/agent/repo`, turn by turn, and a server that sends them
 * as a provider does.
 */
import { type ModelServer, serveModels } from "./support/modelServer.ts"

export const task = "fix the failing test"

interface SessionTurn {
  readonly text?: string
  readonly calls?: ReadonlyArray<readonly [name: string, input: object]>
}

const runTest = ["run_command", { command: "sh", arguments: ["test.sh"] }] as const
const extra = `. ./lib/slug.sh
[ "$(slugify '  A  title!  ')" = a-title ] && [ "$(slugify '')" = "" ] && echo ok
`

export const turns: ReadonlyArray<SessionTurn> = [
  {
    text: "I look at the folder and run the tests.",
    calls: [["list_directory", { path: "", recursive: true }], runTest],
  },
  {
    text: "Three tests fail. I read the sources.",
    calls: ["README.md", "test.sh", "lib/slug.sh", "lib/words.sh", "lib/pad.sh"].map((path) => ["read_file", { path }]),
  },
  {
    calls: [
      ["run_script", { script: ". ./lib/slug.sh; slugify 'Hello,  World!' | od -c | head -3" }],
      ["run_script", { script: "grep -rn 'tr ' lib" }],
    ],
  },
  {
    text: "The dashes are not squeezed.",
    calls: [["edit_file", {
      path: "lib/slug.sh",
      edits: [{ oldText: "tr -c 'a-z' '-'", newText: "tr -cs 'a-z' '-'" }],
    }]],
  },
  {
    text: "That text is not in the file; I take it from there.",
    calls: [["edit_file", {
      path: "lib/slug.sh",
      edits: [{
        oldText: "printf '%s' \"$1\" | tr 'A-Z' 'a-z' | tr -c 'a-z0-9' '-'",
        newText: "printf '%s\\n' \"$1\" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9\\n' '-' | sed 's/^-//; s/-$//'",
      }],
    }]],
  },
  { calls: [runTest] },
  {
    text: "Two are left, both about words.",
    calls: [["read_file", { path: "lib/words.sh", firstLine: 2, maxLines: 2 }]],
  },
  {
    calls: [["edit_file", {
      path: "lib/words.sh",
      edits: [{ oldText: "tr ' ' '\\n' | wc -l | tr -d ' '", newText: "tr -s ' ' '\\n' | grep -c ." }],
    }]],
  },
  { calls: [runTest] },
  { text: "All pass. I try more titles.", calls: [["write_file", { path: "extra.sh", content: extra }]] },
  { calls: [["run_command", { command: "sh", arguments: ["extra.sh"] }], ["list_directory", { path: "lib" }]] },
  {
    calls: [
      ["delete_file", { path: "extra.sh" }],
      ["edit_file", {
        path: "README.md",
        edits: [{
          oldText: "runs the tests.",
          newText: "runs the tests.\n\nSlugs have single dashes, and none at their ends.",
        }],
      }],
    ],
  },
  { calls: [runTest, ["list_directory", { path: "", recursive: true }]] },
  {
    text: "The tests pass. `slugify` now squeezes dashes and trims them, and `count_words` counts no empty words.",
  },
]

export const countOfCalls: number = turns.reduce((sum, { calls = [] }) => sum + calls.length, 0)

/** Serves the session by OpenAI's chat completions: each request gets the turn after the answers that it has. */
export const serveSession = (delayOf: (turn: number) => number = () => 0): Promise<ModelServer> =>
  serveModels(({ body }) => {
    const turn = (JSON.stringify(body).match(/"role":"assistant"/g) ?? []).length
    const { calls = [], text } = turns[turn] ?? { text: "There is nothing more to do." }
    return {
      delay: delayOf(turn),
      answer: {
        ...(text === undefined ? undefined : { text }),
        calls: calls.map(([name, input], index) => ({
          id: `call_${turn + 1}_${index + 1}`,
          name,
          arguments: JSON.stringify(input),
        })),
        usage: { input: 1_000 + 200 * turn, cached: 800 * Math.min(turn, 1), output: 40, reasoning: 0 },
      },
    }
  })
