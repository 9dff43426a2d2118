import $ from "dax"
import { type Command, meterLine, readAll, repeat, type Tool } from "./Tool.ts"

const command = ({ file, args }: Command): ReturnType<typeof $> => $`${file} ${args}`.stdin("null")

export const tool: Tool = {
  spawn: (c, times, concurrency) => repeat(times, concurrency, () => command(c).quiet()),
  bytes: async (c, meter) => {
    const child = command(c).stdout("piped").stderr("piped").spawn()
    await readAll(child.stdout(), (bytes) => meter(bytes.length))
    await child
  },
  lines: (c, meter) => meterLine(command(c).linesIter(), meter),
  text: (c) => command(c).text(),
  timeout: (c, milliseconds) => command(c).quiet().timeout(milliseconds),
}
