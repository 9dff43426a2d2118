/** Real programs in one pipeline with each other and with our utilities. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { output, run, withPrograms } from "./support.ts"

const endless = {
  python3: `python3 -c 'import itertools\nfor i in itertools.count(1): print(i)'`,
  lua: `lua -e 'local i = 0 while true do i = i + 1 print(i) end'`,
  awk: `awk 'BEGIN { while (1) print ++i }'`,
  jq: `jq -n 'def count: ., (. + 1 | count); 1 | count'`,
} as const

for (const name of ["python3", "lua", "awk", "jq"] as const) {
  it.live(`${name} prints without end until head has enough: 141 and 0`, () =>
    withPrograms([name], (sandbox) =>
      Effect.gen(function* () {
        const statuses = "; echo ${PIPESTATUS[@]}"
        expect(yield* output(sandbox, `${endless[name]} | head -3${statuses}`))
          .toBe("1\n2\n3\n141 0\n")
        // Once more, now that it is compiled; and through a stage that has to notice by itself.
        expect(
          yield* output(
            sandbox,
            `${endless[name]} | grep 7 | head -2${statuses}`,
          ),
        ).toBe("7\n17\n141 141 0\n")
        expect(sandbox.kernel.processes).toBe(0)
      })))
}

it.live("python, pandoc, grep and wc make one stream", () =>
  withPrograms(["python3", "pandoc"], (sandbox) =>
    Effect.gen(function* () {
      const script = `python3 -c 'print("# Title\\n")
for i in range(1000): print(f"- item *{i}*")' | pandoc -f markdown -t html | grep '<em>' | wc -l`
      expect((yield* output(sandbox, script)).trim()).toBe("1000")
      expect(
        yield* output(
          sandbox,
          `printf '# A *b*\\n\\n| x | y |\\n|---|---|\\n| 1 | 2 |\\n' | pandoc -t plain | head -1`,
        ),
      )
        .toBe("A b\n")
    })))

it.live("pandoc reads and writes files, and turns one format into another and back", () =>
  withPrograms(["pandoc"], (sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.writeFile(
        "notes/a.md",
        "# Notes\n\nSome **strong** words.\n",
      )
      yield* output(
        sandbox,
        "cd notes && pandoc a.md -o a.docx && pandoc a.docx -t gfm -o b.md && cd ..",
      )
      expect(yield* output(sandbox, "cat notes/b.md; head -c 2 notes/a.docx"))
        .toBe(
          "# Notes\n\nSome **strong** words.\nPK",
        )
    })))

it.live("lua writes, awk counts, sort sorts", () =>
  withPrograms(["lua", "awk"], (sandbox) =>
    Effect.gen(function* () {
      const script = `lua -e 'for i = 1, 30000 do print(i % 7, i) end' |
        awk '{ sum[$1] += $2 } END { for (rest in sum) print rest, sum[rest] }' | sort -k 2 -rn | head -2`
      const sums = Array.from({ length: 7 }, (_, rest) => {
        let sum = 0
        for (let i = 1; i <= 30_000; i++) if (i % 7 === rest) sum += i
        return { rest, sum }
      }).sort((a, b) => b.sum - a.sum)
      expect(yield* output(sandbox, script)).toBe(
        sums.slice(0, 2).map(({ rest, sum }) => `${rest} ${sum}\n`).join(""),
      )
    })))

it.live("jq filters a stream of documents that python writes", () =>
  withPrograms(["python3", "jq"], (sandbox) =>
    Effect.gen(function* () {
      const script = `python3 -c 'import json
for i in range(20000): print(json.dumps({"n": i, "name": f"näme {i}", "tags": ["a", "b"] * (i % 3)}))' |
  jq -c 'select(.n % 5000 == 1) | [.name, (.tags | length)]'`
      expect(yield* output(sandbox, script)).toBe(
        [1, 5001, 10_001, 15_001].map((n) => `["näme ${n}",${(n % 3) * 2}]\n`)
          .join(""),
      )
    })))

it.live("while read takes the lines of python in the middle of a pipeline", () =>
  withPrograms(["python3", "awk"], (sandbox) =>
    Effect.gen(function* () {
      const script = `python3 -c 'for i in range(200): print(i, i * i)' |
        while read -r number square; do
          [ $((number % 50)) -eq 0 ] && echo "$square of $number"
        done | awk '{ print NR ": " $0 }'`
      expect(yield* output(sandbox, script)).toBe(
        "1: 0 of 0\n2: 2500 of 50\n3: 10000 of 100\n4: 22500 of 150\n",
      )
    })))

it.live("lua and awk start other programs of the sandbox, and tell how they ended", () =>
  withPrograms(["lua", "awk"], (sandbox) =>
    Effect.gen(function* () {
      expect(
        yield* output(
          sandbox,
          `lua -e 'for line in io.popen([[seq 3 | awk "{ print \\$1 * 2 }" | sort -rn]]):lines() do print("<" .. line .. ">") end
            local sink = io.popen("wc -c", "w") sink:write(string.rep("x", 100000)) print(sink:close())
            print(os.execute("exit 3"))'`,
        ),
      ).toBe("<6>\n<4>\n<2>\n100000\ntrue\texit\t0\nnil\texit\t3\n")
      expect(
        yield* output(
          sandbox,
          `printf 'b\\na\\n' | awk '{ print | "sort" } END { close("sort"); "pwd" | getline here; print here; exit system("exit 5") - 5 }'`,
        ),
      ).toBe("a\nb\n/home/user\n")
    })))

it.live("a writer stops when the pipe is full, at 65,536 bytes", () =>
  withPrograms(["python3"], (sandbox) =>
    Effect.gen(function* () {
      const script = `python3 -c 'import os
for written in range(0, 10000000, 512):
  with open("/tmp/written", "w") as file: file.write(str(written))
  os.write(1, b"x" * 512)' | { sleep 1; cat /tmp/written; }; echo; echo \${PIPESTATUS[@]}`
      const { stdout } = yield* run(sandbox, script)
      expect(stdout).toBe("65536\n0\n")
    })))

it.live("a pipeline of five real programs has the contribution of each", () =>
  withPrograms(
    ["python3", "lua", "awk", "jq", "pandoc"],
    (sandbox) =>
      Effect.gen(function* () {
        const script = `python3 -c 'import json
for i in range(1, 6): print(json.dumps({"n": i}))' | jq -r '"- **\\(.n)**"' | pandoc -t html |
        awk -F '[<>]' '/strong/ { print $5 }' | lua -e 'local sum = 0 for line in io.lines() do sum = sum + line end print(sum)'`
        expect(yield* output(sandbox, script)).toBe("15\n")
      }),
  ))

it.live("python ends with the stream that the host has closed", () =>
  withPrograms(["python3"], (sandbox) =>
    Effect.gen(function* () {
      const texts = yield* sandbox.stream(endless.python3).pipe(
        Stream.take(3),
        Stream.runCollect,
      )
      expect(texts[0]).toMatchObject({ _tag: "ScriptText", stream: "stdout" })
      expect(sandbox.kernel.processes).toBe(0)
    })))

it.live(
  "programs in workers make the same streams, and start others from there",
  () =>
    withPrograms(["python3", "lua", "awk", "jq"], (sandbox) =>
      Effect.gen(function* () {
        // Pieces that are written with several vectors, from memory that has grown.
        const copier = "while true do local p = io.read(65536) if not p then break end io.write(p) end"
        const script =
          `lua -e 'local s = string.rep("x", 65536) for _ = 1, 1024 do io.write(s) end' | lua -e '${copier}' |
        python3 -c 'import sys
print(len(sys.stdin.buffer.read()))' | jq -c '[., . / 65536]' | awk '{ print | "sort"; close("sort"); print "over" }'`
        expect(yield* output(sandbox, script)).toBe("[67108864,1024]\nover\n")
      }), "worker"),
  120_000,
)
