/** Bundles the command line before the first test. */
import { bundled } from "./bundled.ts"

/** For `sluiceWords`, which reads the variable. */
export default async (): Promise<void> => {
  process.env["TEST_CLI_FILE"] = await bundled("src/cli/main.ts")
}
