/** Ends the utility because a program calls or uses a name wrongly. */
import { UtilityExit } from "../shared/UtilityExit.ts"

export const failCompilation = (message: string): never => {
  throw new UtilityExit(1, message)
}
