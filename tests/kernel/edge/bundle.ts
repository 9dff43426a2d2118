import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

/** A module and all it needs in one file, as for a browser; what is WASM stays a module of its own. */
export const bundle = async (entry: URL): Promise<string> => {
  const built = await rolldown({
    input: fileURLToPath(entry),
    platform: "browser",
    external: /\.wasm$/,
    resolve: {
      alias: {
        "@sluice/shell/sandbox": fileURLToPath(new URL("../../../src/sandbox/mod.ts", import.meta.url)),
      },
    },
  })
  const { output } = await built.generate({ format: "esm", codeSplitting: false })
  await built.close()
  const [chunk] = output
  return chunk.code
}
