/** Holds the text and the name of a script and converts offsets in it to line numbers. */
const startsOfLines = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1)
  return starts
}

export class ScriptSource {
  readonly text: string
  /** The entry in `BASH_SOURCE`: the path of a file, `environment` for `-c`, `main` for standard input. */
  readonly name: string
  readonly #firstLine: number
  #starts: ReadonlyArray<number> | undefined

  constructor(text: string, name = "environment", firstLine = 1) {
    this.text = text
    this.name = name
    this.#firstLine = firstLine
  }

  lineAt(offset: number): number {
    const starts = this.#starts ??= startsOfLines(this.text)
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return this.#firstLine + low
  }
}
