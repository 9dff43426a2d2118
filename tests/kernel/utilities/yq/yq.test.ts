/** Tests `yq`: what mikefarah's yq 4 prints for the same files, as its manual shows it. */
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"

const files = {
  "f.yaml": `# Head
a:
  b: 1 # one
  c-d: "two" # quoted
list:
  - x
  # before y
  - y: 2
    z: 1.0
anchor: &base {k: v, n: 3}
use:
  <<: *base
  own: true

# last
end: null
`,
  "1.yml": "a: 1\nb: [1, 2]\n",
  "2.yml": "b: [3]\nc: {d: e}\n",
  "two.yml": "a: 1\n---\na: 2\n",
  "j.json": '{"a":[{"x":1,"y":"b c"},{"x":2,"y":null}]}',
  "t.csv": 'name,n\nada,1\n"x, y",2.50\n',
  "t.toml": 'title = "T"\n[s]\nk = [1, 2]\n',
}

const run = async (script: string): Promise<string> => {
  await using sandbox = await Sandbox.open({ files })
  const { exitCode, stderr, stdout } = await sandbox.run(script, { check: false })
  return stdout + (stderr === "" ? "" : `! ${stderr}`) + (exitCode === 0 ? "" : `exit ${exitCode}\n`)
}

it.each([
  ["yq '.a.b' f.yaml", "1\n"],
  ["yq .a.c-d f.yaml", "two\n"],
  ["yq '.list[1].z' f.yaml", "1.0\n"],
  ["yq '.list[]' f.yaml | head -n 1", "x\n"],
  ["yq '.use.k, .use.own' f.yaml", "v\ntrue\n"],
  ["yq f.yaml | diff f.yaml -", ""],
  ["yq '.a.b | tag' f.yaml", "!!int\n"],
  ["yq '.a | keys' f.yaml", "- b\n- c-d\n"],
  ["yq -o json '.use' f.yaml", '{\n  "k": "v",\n  "n": 3,\n  "own": true\n}\n'],
  ["yq -o=json -I0 '.a' f.yaml", '{"b":1,"c-d":"two"}\n'],
  ["yq '.a' two.yml", "1\n---\n2\n"],
  ["yq -N '.a' two.yml", "1\n2\n"],
  ["yq 'select(di == 1)' two.yml", "a: 2\n"],
  ["yq '.a' 1.yml 2.yml", "1\n---\nnull\n"],
  ["yq ea 'select(fi == 0) * select(fi == 1)' 1.yml 2.yml", "a: 1\nb: [3]\nc:\n  d: e\n"],
  ["yq eval-all '. as $item ireduce ({}; . * $item)' 1.yml 2.yml | tail -n 2", "c:\n  d: e\n"],
  ["yq ea '[.] | length' 1.yml 2.yml", "2\n"],
  ["yq -n '.a.b.c = \"x\"'", "a:\n  b:\n    c: x\n"],
  ["NAME=z yq -n '.n = strenv(NAME)'; N=7 yq -n '.n = env(N)'", "n: z\nn: 7\n"],
  ["yq '.c.d |= upcase' 2.yml", "b: [3]\nc: {d: E}\n"],
  ['yq \'.c.d | sub("e", "E")\' 2.yml', "E\n"],
  ["yq 'load(\"1.yml\").a' 2.yml", "1\n"],
  ["yq 'with(.c; .d = \"q\") | .c.d' 2.yml", "q\n"],
  ["yq '.list | map(select(. == \"x\"))' f.yaml", "- x\n"],
  ["cat 1.yml | yq '.b[1]' -", "2\n"],
  ["yq -o yaml . j.json", "a:\n  - x: 1\n    y: b c\n  - x: 2\n    y: null\n"],
  ["yq -o csv .a j.json", "x,y\n1,b c\n2,\n"],
  ["yq -p csv -o json -I 0 . t.csv", '[{"name":"ada","n":1},{"name":"x, y","n":2.50}]\n'],
  ["yq . t.csv | diff t.csv -", ""],
  ["yq -o yaml . t.toml", "title: T\ns:\n  k:\n    - 1\n    - 2\n"],
  ["yq -o toml . 2.yml", 'b = [ 3 ]\n\n[c]\nd = "e"\n'],
  ["yq -o props . 1.yml; echo 'x.y = 3' | yq -p props -o yaml .", "a = 1\nb.0 = 1\nb.1 = 2\nx:\n  y: 3\n"],
  ["yq -e .nope f.yaml", "null\n! yq: Error: no matches found\nexit 1\n"],
  ["yq .x nofile", "! yq: nofile: No such file or directory\nexit 1\n"],
  ["yq '.a style=\"double\"' f.yaml", "! yq: Error: the operator style is not supported\nexit 1\n"],
  [
    "yq -o xml . f.yaml",
    "! yq: Error: unknown format 'xml': this yq has yaml, json, toml, csv, tsv and props\nexit 1\n",
  ],
])("%s", async (script, expected) => {
  expect(await run(script)).toBe(expected)
})

it("changes a file in place, and keeps its comments, its order and its styles", async () => {
  expect(
    await run(
      'yq -i \'.a.c-d = "three" | .a.new = {"k": [1]} | .list += ["more"] | del(.list[0]) | .use.k = "w" | del(.end)\' f.yaml; cat f.yaml',
    ),
  ).toBe(`# Head
a:
  b: 1 # one
  c-d: "three" # quoted
  new:
    k:
      - 1
list:
  # before y
  - y: 2
    z: 1.0
  - more
anchor: &base {k: v, n: 3}
use:
  <<: *base
  own: true
  k: w
`)
})

it("keeps all documents, and the file where the expression fails", async () => {
  expect(await run("yq -i '.a += 1' two.yml; cat two.yml; yq -i '.a | error' two.yml 2> e; cat two.yml")).toBe(
    "a: 2\n---\na: 3\na: 2\n---\na: 3\nexit 0\n".replace("exit 0\n", ""),
  )
})

it("bounds aliases, depth and size", async () => {
  const levels = Array.from(
    "bcdefgh",
    (name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefg"[at]}`).join(",")}]`,
  )
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${levels.join("\n")}\n`
  await using sandbox = await Sandbox.open({
    files: { "bomb.yaml": bomb, "deep.yaml": "[".repeat(2_000) + "]".repeat(2_000) },
  })
  const { stderr } = await sandbox.run(
    "yq .a bomb.yaml; yq . deep.yaml; yes 'a: b' | yq .; printf 'a: &x [*x]' | yq .; true",
  )
  expect(stderr.split("\n")).toEqual([
    "yq: Error: aliases stand for more than 100000 nodes",
    expect.stringMatching(/^yq: Error: /),
    "yq: Error: -: more than 262144 characters, all of which yq would hold: split the file, or use JSON",
    expect.stringMatching(/^yq: Error: /),
    "",
  ])
})

it("refuses a key that is there twice, also among many", async () => {
  const many = Array.from({ length: 9_000 }, (_, at) => `k${at}: ${at}`).join("\n")
  await using sandbox = await Sandbox.open({
    files: { "many.yaml": many, "twice.yaml": `${many}\nk7: 1`, "merged.yaml": "a: &a {x: 1}\nb: {<<: *a, x: 2}" },
  })
  const { stderr, stdout } = await sandbox.run("yq .k8999 many.yaml; yq .b.x merged.yaml; yq .k7 twice.yaml; true")
  expect(stdout).toBe("8999\n2\n")
  expect(stderr).toBe("yq: Error: bad file 'twice.yaml': yaml: Map keys must be unique: \"k7\" is there twice\n")
})

/** Runs yq on a file that is hostile; nothing else of the program stands still for long. */
const runHostile = async (content: string, command: string): Promise<string> => {
  await using sandbox = await Sandbox.open({ files: { f: content } })
  const { stderr, stdout } = await sandbox.run(`${command} | tail -c 100`, { check: false })
  return stdout + stderr
}

it.each([
  ["a property that is deep", `a${".a".repeat(100_000)} = 1`, "yq -p props . f", "deeper than 512"],
  ["a property with much white space", `a${" ".repeat(250_000)}b`, "yq -p props . f", ""],
  ["many columns by many rows", `${"a,".repeat(60_000)}\n${"\n".repeat(130_000)}`, "yq -p csv . f", "1000000 cells"],
  [
    "a path that each of many leaves repeats",
    JSON.stringify({ ["k".repeat(1_000_000)]: Array.from({ length: 100_000 }, () => 1) }),
    "yq -p json -o props . f",
    "longer than 67108864",
  ],
  [
    "many nodes to write",
    JSON.stringify(Array.from({ length: 500_000 }, () => 1)),
    "yq -p json -o yaml . f",
    "250000 nodes",
  ],
  ["many errors", `[${",".repeat(260_000)}]`, "yq . f", "yaml: Unexpected , in flow sequence"],
])("bounds %s", async (_, content, command, expected) => {
  const start = performance.now()
  expect(await runHostile(content, command)).toContain(expected)
  expect(performance.now() - start).toBeLessThan(20_000)
}, 60_000)

it("finds the nodes of many aliases, each by the last anchor before it", async () => {
  expect(await runHostile(`- &a x\n${"- *a\n".repeat(50_000)}`, "yq length f")).toBe("50001\n")
  const anchors = "- &b 1\n- &c [*b]\n- &b 2\n- *c\n- *b\n- {&k key: v}\n- *k\n"
  expect(await runHostile(anchors, "yq -o json -I0 . f")).toBe('[1,[1],2,[1],2,{"key":"v"},"key"]\n')
}, 60_000)
