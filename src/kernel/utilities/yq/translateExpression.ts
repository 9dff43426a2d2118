/**
 * Translates expressions of mikefarah's yq 4 to the language of jq, from which it differs in a few operators. Source: the manual of
 * yq, "Operators".
 */

/** The context that an expression reads. */
export interface ExpressionContext {
  /** A variable of the environment; with `isText` as it is, else as YAML. Returned as JSON. */
  readonly readVariable: (name: string, isText: boolean) => string
  /** Loads a file for `load` and `load_str`, and returns the variable that holds it. */
  readonly load: (path: string, isText: boolean) => string
  /** Whether the expression sees all documents at once. */
  readonly isAll: boolean
  readonly fail: (message: string) => never
}

const tokenPattern =
  /"(?:\\[\s\S]|[^"\\])*"|#[^\n]*|\$[A-Za-z_]\w*|\.[A-Za-z_][\w-]*|[A-Za-z_]\w*|\s+|\*[+?dnc]+(?=[\s.($])|[\s\S]/g

/** Functions of yq that jq has under another name, or with another meaning. */
const prelude = `
def keys: keys_unsorted;
def upcase: ascii_upcase; def downcase: ascii_downcase;
def trim: if type == "string" then gsub("^\\\\s+|\\\\s+$"; "") else . end;
def to_json: tojson; def to_json(i): tojson; def from_json: fromjson;
def to_number: tonumber; def to_string: tostring;
def tag: if . == null then "!!null" elif type == "boolean" then "!!bool" elif type == "string" then "!!str"
  elif type == "number" then (if . == floor then "!!int" else "!!float" end) elif type == "array" then "!!seq" else "!!map" end;
def type: tag;
def kind: if tag == "!!seq" then "seq" elif tag == "!!map" then "map" else "scalar" end;
def sort_keys(f): f |= (if kind == "map" then to_entries | sort_by(.key) | from_entries else . end);
def explode(f): .;
def with(p; e): p |= e;
def any_c(f): any(.[]; f); def all_c(f): all(.[]; f);
def is_key: false;
def omit(f): f as $k | if kind == "map" then with_entries(select(.key as $n | $k | index([$n]) | not)) else . end;
def pick(f): f as $k | if kind == "map" then . as $o | reduce $k[] as $n ({}; if $o | has($n) then .[$n] = $o[$n] else . end)
  else [.[$k[]]] end;
def document_index: di; def documentIndex: di; def fileIndex: fi; def file_index: fi;
`

/** Functions whose arguments yq separates by commas: the name in jq. */
const commaFunctions: Readonly<Record<string, string>> = { sub: "gsub", match: "match", capture: "capture" }

const unsupported = new Set([
  ...[
    "style",
    "anchor",
    "alias",
    "lineComment",
    "line_comment",
    "headComment",
    "head_comment",
    "footComment",
    "foot_comment",
  ],
  ...[
    "comments",
    "envsubst",
    "eval",
    "split_doc",
    "splitDoc",
    "line",
    "column",
    "from_yaml",
    "to_yaml",
    "to_xml",
    "from_xml",
  ],
  ...[
    "to_props",
    "from_props",
    "to_csv",
    "from_csv",
    "to_tsv",
    "from_tsv",
    "load_xml",
    "load_props",
    "load_base64",
    "shuffle",
  ],
])

/** The tokens up to the parenthesis that closes the one at `from`. */
const closing = (tokens: ReadonlyArray<string>, from: number): number => {
  let depth = 0
  for (let at = from; at < tokens.length; at++) {
    if (/^[([{]$/.test(tokens[at] ?? "")) depth++
    if (/^[)\]}]$/.test(tokens[at] ?? "") && --depth === 0) return at
  }
  return tokens.length
}

const textOf = (tokens: ReadonlyArray<string>): string => tokens.join("").trim()

class Translation {
  readonly #context: ExpressionContext

  constructor(context: ExpressionContext) {
    this.#context = context
  }

  /** The text that an argument quotes, or the variable that it names. */
  #literal(tokens: ReadonlyArray<string>): string {
    const text = textOf(tokens)
    const variable = /^strenv\s*\(\s*(\w+)\s*\)$/.exec(text)?.[1]
    const value: unknown = variable !== undefined
      ? JSON.parse(this.#context.readVariable(variable, true))
      : /^"/.test(text)
      ? JSON.parse(text)
      : undefined
    return typeof value === "string" ? value : this.#context.fail(`load takes a quoted file name, not ${text}`)
  }

  translate(tokens: ReadonlyArray<string>): string {
    const { fail, isAll, load, readVariable } = this.#context
    const out: Array<string> = []
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at] ?? ""
      const isCall = textOf([tokens[at + 1] ?? ""]) === "("
      const end = isCall ? closing(tokens, at + 1) : at
      const inside = tokens.slice(at + 2, end)
      if (token.startsWith("#")) continue
      if (/^\*[+?dnc]+$/.test(token)) return fail(`flags of merging are not supported: ${token}`)
      if (/^\.[A-Za-z_][\w-]*$/.test(token)) out.push(token.includes("-") ? `."${token.slice(1)}"` : token)
      else if ((token === "env" || token === "strenv") && isCall) {
        out.push(readVariable(textOf(inside), token === "strenv"))
        at = end
      } else if (/^(load|load_str|strload)$/.test(token) && isCall) {
        out.push(load(this.#literal(inside), token !== "load"))
        at = end
      } else if (
        isAll && token === "select" && /^\s*(fi|fileIndex|file_index|di|documentIndex|filename)\b/.test(inside.join(""))
      ) {
        out.push(`(__docs | select(${this.translate(inside)}) | __value)`)
        at = end
      } else if (token === "ireduce") this.#reduce(out)
      else if (commaFunctions[token] !== undefined && isCall) {
        let depth = 0
        const separated = inside.map((part) => {
          if (/^[([{]$/.test(part)) depth++
          if (/^[)\]}]$/.test(part)) depth--
          return part === "," && depth === 0 ? ";" : part
        })
        out.push(`${commaFunctions[token]}(${this.translate(separated)})`)
        at = end
      } else if (unsupported.has(token)) return fail(`the operator ${token} is not supported`)
      else out.push(token)
    }
    return out.join("")
  }

  /** Rewrites `A as $x ireduce` to `reduce A as $x`. */
  #reduce(out: Array<string>): void {
    let depth = 0
    let from = 0
    for (let at = out.length - 1; at >= 0 && from === 0; at--) {
      const token = out[at] ?? ""
      if (/^[)\]}]$/.test(token)) depth++
      else if (/^[([{]$/.test(token) && --depth < 0) from = at + 1
      else if ((token === "|" || token === ",") && depth === 0) from = at + 1
    }
    const parts = out.splice(from)
    const found = /^([\s\S]*\S)\s+as\s+(\$\w+)\s*$/.exec(parts.join("").trim())
    if (found === null) return this.#context.fail("ireduce needs `EXPRESSION as $name` before it")
    const source = found[1] ?? "."
    out.push(` reduce (${this.#context.isAll ? `__docs | __value | ${source}` : source}) as ${found[2] ?? ""} `)
  }
}

/** The program of jq. Its input is `{v, fi, di, f}`, with `isAll` a list of those. */
export const translateExpression = (expression: string, context: ExpressionContext): string => {
  const tokens = expression.match(tokenPattern) ?? []
  const body = new Translation(context).translate(tokens).trim() || "."
  if (!context.isAll) {
    return `. as $__in | $__in.v | def fi: $__in.fi; def di: $__in.di; def filename: $__in.f;${prelude}(${body}\n)`
  }
  // `[.]` collects the documents; any other expression that does not select among them is run for each.
  const isCollected = /^\[\s*\.\s*\]/.test(body)
  const source = isCollected ? body.replace(/^\[\s*\.\s*\]/, "[__docs | __value]") : body
  const isWhole = isCollected || source.includes("__docs")
  const own = "def fi: .fi; def di: .di; def filename: .f; def __value: .v; def __docs: $__all[];"
  return isWhole
    ? `. as $__all | ${own}${prelude}(${source}\n)`
    : `. as $__all | $__all[] | . as $__in | .v | def fi: $__in.fi; def di: $__in.di; def filename: $__in.f;${prelude}(${source}\n)`
}
