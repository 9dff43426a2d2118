/** Does the witness see? What it does not see, no other test here would miss. */
import { expect, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { runBatch } from "./batch.ts"
import type { Item, Settings } from "./job.ts"
import { makeWorld, type World } from "./world.ts"

const run = ({ bin, folders, place }: World, settings: Settings, items: ReadonlyArray<Item>, concurrency = 4) =>
  runBatch({ settings: { searchPath: bin, ...settings }, place, items, concurrency }, { folders })

it("sees bash where it is listed, and the unlisted programs that it starts", async () => {
  using world = makeWorld(["bash", "echo", "env"])
  const { answers, executions, strangers, trouble } = await run(
    world,
    { allowedCommands: ["bash", "echo", "env"] },
    [{ id: "a", words: ["bash", "-c", "evil; env echo $(id) café"] }],
  )
  expect(trouble).toBe(undefined)
  expect(answers.get("a")).toMatchObject({ outcome: "ran", status: 0, stdout: "café\n" })
  expect(executions.map(({ argv }) => argv.join(" "))).toEqual([
    "bash -c evil; env echo $(id) café",
    expect.stringContaining("evil"),
    expect.stringContaining("id"),
    "env echo café",
    "echo café",
  ].map((words) =>
    typeof words === "string" ? expect.stringMatching(new RegExp(`${words.replace(/[$()]/g, "\\$&")}$`)) : words
  ))
  expect(strangers.map(({ argv, caseId, path }) => [caseId, path, argv.length])).toEqual([
    ["a", `${world.bin}/evil`, 1],
    ["a", `${world.bin}/id`, 1],
  ])
  expect(readdirSync(world.marks).sort()).toEqual(["evil", "id"])
})

it("sees the program that a script may run, and the mark that it leaves", async () => {
  using world = makeWorld(["evil", "ls"])
  const { answers, executions, trouble } = await run(
    world,
    { allowedCommands: ["evil"], redirects: "none" },
    [{ id: "a", script: "evil 'a b'" }, { id: "b", script: "ls" }],
  )
  expect([trouble, answers.get("a")?.outcome, answers.get("b")?.outcome]).toEqual([undefined, "ran", "refused"])
  expect(executions.filter(({ path }) => path === `${world.bin}/evil`).map(({ argv }) => argv.slice(1))).toEqual([[
    "a b",
  ]])
  expect(executions.some(({ path }) => path.endsWith("/ls"))).toBe(false)
})

it("keeps programs in its own folders, without a network", async () => {
  using world = makeWorld(["bash"])
  const script =
    "echo x > /etc/witness; echo x > /tmp/witness; exec 3<> /dev/tcp/1.1.1.1/53; echo y > here; ls /sys/class/net"
  const { answers } = await run(world, { allowedCommands: ["bash"] }, [{ id: "a", words: ["bash", "-c", script] }])
  expect(answers.get("a")).toMatchObject({ outcome: "ran" })
  expect(answers.get("a")?.stderr).toMatch(
    /etc\/witness: Read-only file system\n.*(Network is unreachable|Connection)/s,
  )
  expect(readdirSync("/tmp").includes("witness")).toBe(false)
})

it("protects itself and the results from a program that deletes all it can", async () => {
  using world = makeWorld(["find", "sleep"])
  const find = (what: string) => ["find", "/tmp", "-path", what, "-type", "f", "-delete"]
  const { answers, executions } = await run(world, { allowedCommands: ["find", "sleep"] }, [
    { id: "a", words: ["sleep", "0"] },
    { id: "b", words: find("*/sluice-strace-*") },
    { id: "c", words: find("*/sluice-batch-*") },
  ], 1)
  expect([...answers.values()].map(({ id, outcome }) => `${id} ${outcome}`).toSorted()).toEqual([
    "a ran",
    "b ran",
    "c ran",
  ])
  expect(executions.some(({ path }) => path.endsWith("/find"))).toBe(true)
})
