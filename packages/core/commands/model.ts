import { parseModelChoice } from "../message/message.ts"
import { defineCommand, requiredArgument } from "./define-command.ts"
import { chooseModel } from "./queue-effect.ts"

export const modelCommand = defineCommand({
  name: "model",
  aliases: [],
  about: "Choose the model for what follows",
  arguments: [requiredArgument("model", "provider/model")],
  when: "queued",
  perform: ({ typed }) => chooseModel(parseModelChoice(typed)),
  example: "/model scripted",
})
