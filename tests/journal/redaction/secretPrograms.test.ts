import { execFileSync } from "node:child_process"
import { beforeAll, describe, expect, it } from "@effect/vitest"
import { Redactor } from "@sluice/shell/journal"
import { random } from "../../support/random.ts"

type Command = readonly [program: string, ...args: ReadonlyArray<string>]

/** What a real program prints of a secret that it has in its environment, and on its stdin. */
const printed = (secret: string, [program, ...args]: Command): string => {
  const env = { PATH: process.env["PATH"] ?? "", SECRET: secret, LC_ALL: "C.UTF-8" }
  // One character for each byte would hide what is not ASCII.
  // jq -n leaves its stdin, which may be gone before all of it is written.
  const isRead = program === "bash" ? args.some((arg) => arg.includes("cat;")) : args[0]?.startsWith("-n") !== true
  return execFileSync(program, args, { env, encoding: "utf8", ...(isRead ? { input: secret } : { stdio: "pipe" }) })
}

const secrets: ReadonlyArray<string> = [
  "hunter2-and-more",
  `pa"ss'wo/rd+100%&<\\x> end`,
  "C:\\new\\users\\x41%41&lt;",
  "käse/über+straße",
  "tab\tand newline\nin the secret",
  "#$%^&*()",
]

const bash = (code: string): Command => ["bash", "-c", code]

/** Expressions of Python over a secret `s`. */
const python: Readonly<Record<string, string>> = {
  "json.dumps": `json.dumps(s)`,
  "json.dumps with UTF-8": `json.dumps(s, ensure_ascii=False)`,
  "JSON with \\/, as PHP writes it": `json.dumps(s).replace("/", "\\\\/")`,
  "JSON in JSON": `json.dumps(json.dumps({"a": s}))`,
  "quote": `u.quote(s)`,
  "quote, all of it": `u.quote(s, safe="")`,
  "quote in lower case": `u.quote(s, safe="").lower() if s.isascii() and s.islower() else u.quote(s)`,
  "repr": `repr(s)`,
  "shlex.quote": `shlex.quote(s)`,
  "base64": `base64.b64encode(("user:" + s + "@host").encode()).decode()`,
  "urlsafe base64": `base64.urlsafe_b64encode(s.encode()).decode()`,
  "hex": `s.encode().hex()`,
  "hex in upper case": `s.encode().hex().upper()`,
}

/** Other programs, which have the secret as `$SECRET` and on their stdin. */
const programs: Readonly<Record<string, Command>> = {
  "jq": ["jq", "-n", "env.SECRET"],
  "jq -a": ["jq", "-na", "env.SECRET"],
  "jq @uri": ["jq", "-nr", "env.SECRET|@uri"],
  "jq @sh": ["jq", "-nr", "env.SECRET|@sh"],
  "jq @base64": ["jq", "-nr", "env.SECRET|@base64"],
  "printf %q": bash(`printf '%q\\n' "$SECRET"`),
  "${x@Q}": bash(`printf '%s\\n' "\${SECRET@Q}"`),
  "declare -p": bash("declare -p SECRET"),
  "set -x": bash(`exec 2>&1; set -x; : "$SECRET"`),
  "base64, the program": ["base64"],
  "xxd -p": ["xxd", "-p"],
  "openssl base64": ["openssl", "base64"],
}

/** What one Python prints for each expression, of each secret: to start one for each took most of this file's time. */
const printedByPython = (): Readonly<Record<string, ReadonlyArray<string>>> => {
  const table = Object.entries(python).map(([name, code]) => `${JSON.stringify(name)}: lambda s: ${code}`)
  const code = `import sys,json,html,base64,shlex,urllib.parse as u
sys.stdin.reconfigure(encoding="utf-8")
secrets=json.load(sys.stdin)
print(json.dumps({name: ["<<" + f(s) + ">>\\n" for s in secrets] for name, f in {${table.join(", ")}}.items()}))`
  return JSON.parse(execFileSync("python3", ["-c", code], { encoding: "utf8", input: JSON.stringify(secrets) }))
}

describe("secrets in what real programs print", () => {
  let byPython: Readonly<Record<string, ReadonlyArray<string>>> = {}
  beforeAll(() => {
    byPython = printedByPython()
  })

  /** What the program of this name prints of each secret, in their order. */
  const textsOf = (name: string): ReadonlyArray<string> => {
    const command = programs[name]
    const texts = command === undefined ? byPython[name] : secrets.map((value) => printed(value, command))
    if (texts === undefined) throw new Error(`no program is called ${name}`)
    return texts
  }

  for (const name of [...Object.keys(python), ...Object.keys(programs)]) {
    it(`are found: ${name}`, () => {
      const texts = textsOf(name)
      expect(texts).toHaveLength(secrets.length)
      for (const [index, value] of secrets.entries()) {
        const text = texts[index] ?? ""
        const redactor = Redactor.secrets([{ value }])
        const stored = redactor.text(text)
        expect(stored, text).toContain("<redacted>")
        // Less than half of it is left, of what stood beside it nearly everything.
        for (const part of [value, value.slice(0, Math.ceil(value.length / 2)), value.slice(value.length / 2)]) {
          if (part.length >= 6) expect(stored).not.toContain(part)
        }
        const { int } = random(text.length)
        for (let round = 0; round < 12; round++) {
          const run = redactor.begin()
          let [out, at] = ["", 0]
          while (at < text.length) {
            const next = round === 0 ? at + 1 : at + int(1, 12)
            out += run.push(text.slice(at, next))
            at = next
          }
          expect(out + run.end()).toBe(stored)
        }
      }
    })
  }

  it("removes the secrets and keeps the text around them", () => {
    const index = 1
    const value = secrets[index] ?? ""
    const redactor = Redactor.secrets([{ value }])
    for (const name of ["json.dumps", "quote"]) {
      expect(redactor.text(textsOf(name)[index] ?? "")).toMatch(/^<<["\w]{0,4}<redacted>["\w=]{0,9}>>\n$/)
    }
    expect(redactor.text(printed(value, ["jq", "-n", "env.SECRET"]))).toBe(`"<redacted>"\n`)
    expect(redactor.text(printed(value, bash(`printf '%q\\n' "$SECRET"`)))).toBe("<redacted>\n")
  })

  it("leaves text without secrets unchanged", () => {
    const redactor = Redactor.secrets(secrets.map((value) => ({ value })))
    const texts = [
      printed("nothing", ["python3", "-c", "import this, json; print(json.dumps(open(json.__file__).read()))"]),
      printed("nothing", bash("declare -p; base64 /bin/true; xxd /bin/true | head -n 500")),
    ]
    for (const text of texts) expect(redactor.text(text) === text).toBe(true)
  })

  it("takes linear time and holds back little, for adversarial texts too", () => {
    const redactor = Redactor.secrets([...secrets, "x".repeat(3_000)].map((value) => ({ value })))
    const tricks = ["\\", "%25", "%", "&amp;", "&", "'", `"'\\`, "&#104;", "%68%75", "\\\\u0068", "aHVudGVyMi1hbm\n"]
    for (const trick of [...tricks, "hunter2-and-mor", `pa\\"ss'`, "A".repeat(64) + "\n"]) {
      const text = trick.repeat(Math.ceil(1_000_000 / trick.length))
      const run = redactor.begin()
      let given = 0
      let out = ""
      for (let at = 0; at < text.length; at += 65_536) {
        const piece = text.slice(at, at + 65_536)
        given += piece.length
        out += run.push(piece)
      }
      // Less than the longest form of the longest secret.
      expect(given - out.length).toBeLessThan(15_000)
      out += run.end()
      expect(out.length).toBeGreaterThan(0)
    }
  })
})
