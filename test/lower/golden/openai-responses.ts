import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses"
import type { RowName } from "./rows.ts"

/** What a model that takes every medium is sent through openai-responses, for every row. */
const VISION = {
  text: {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [{ role: "user", content: [{ type: "input_text", text: "Say hi." }] }],
  },
  "file-ref, text": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look at" },
          {
            type: "input_text",
            text: "File src/a.ts:\nexport const a = 1\nexport const b = 2\nexport const c = 3\n",
          },
        ],
      },
    ],
  },
  "file-ref, range": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          {
            type: "input_text",
            text: "File src/a.ts, lines 2-3:\nexport const b = 2\nexport const c = 3",
          },
          { type: "input_text", text: "Why?" },
        ],
      },
    ],
  },
  "file-ref, image": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          {
            type: "input_image",
            detail: "auto",
            image_url:
              "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
          },
        ],
      },
    ],
  },
  "file-ref, large": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Find the error in" },
          {
            type: "input_text",
            text: "[file: big.log, text/plain, 42,000 bytes. Not shown: it is larger than 32,768 bytes. Use read on this path for its contents.]",
          },
        ],
      },
    ],
  },
  "file-ref, directory": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "List" },
          { type: "input_text", text: "[file: docs. Not shown: docs is a directory.]" },
        ],
      },
    ],
  },
  "file-ref, missing": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Open" },
          { type: "input_text", text: "[file: gone.ts. Not shown: gone.ts does not exist.]" },
        ],
      },
    ],
  },
  "directory-ref": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Search" },
          {
            type: "input_text",
            text: "[directory: docs (dir_1), read only. Its contents are not included.]",
          },
        ],
      },
    ],
  },
  "attachment, image": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          {
            type: "input_image",
            detail: "auto",
            image_url:
              "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
          },
          { type: "input_text", text: "Describe it." },
        ],
      },
    ],
  },
  "attachment, pdf": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Sum up" },
          {
            type: "input_file",
            filename: "a.pdf",
            file_data: "data:application/pdf;base64,JVBERi0xLjcK",
          },
        ],
      },
    ],
  },
  "attachment, audio": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Transcribe" },
          {
            type: "input_text",
            text: "[attached file: a.wav, audio/wav, 44 bytes. Not shown: the openai-responses API carries no audio.]",
          },
        ],
      },
    ],
  },
  "attachment, video": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Watch" },
          {
            type: "input_text",
            text: "[attached file: a.mp4, video/mp4, 32 bytes. Not shown: the openai-responses API carries no video.]",
          },
        ],
      },
    ],
  },
  "attachment, office": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Read" },
          {
            type: "input_file",
            filename: "a.docx",
            file_data:
              "data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,UEsDBBQAAAAAAAAAAAAAAAAAeQAAAHkAAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbDxUeXBlcz48T3ZlcnJpZGUgQ29udGVudFR5cGU9ImFwcGxpY2F0aW9uL3ZuZC5vcGVueG1sZm9ybWF0cy1vZmZpY2Vkb2N1bWVudC53b3JkcHJvY2Vzc2luZ21sLmRvY3VtZW50Lm1haW4reG1sIi8+PC9UeXBlcz4=",
          },
        ],
      },
    ],
  },
  "attachment, csv": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Add up" },
          { type: "input_text", text: "Attached file a.csv:\na,b\n1,2\n" },
        ],
      },
    ],
  },
  "attachment, unknown binary": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Guess" },
          {
            type: "input_text",
            text: "[attached file: a.bin, application/octet-stream, 4 bytes. Not shown: models do not read this format.]",
          },
        ],
      },
    ],
  },
  "command, host action": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [{ role: "user", content: [{ type: "input_text", text: "Then go on." }] }],
  },
  "command, result": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [{ role: "user", content: [{ type: "input_text", text: "errors" }] }],
  },
  "command, pass-through": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [{ role: "user", content: [{ type: "input_text", text: "/frobnicate now" }] }],
  },
  "mention, skill": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [{ role: "user", content: [{ type: "input_text", text: "Be strict." }] }],
  },
  "mention, file": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "File docs/readme.md:\n# Read me\n" },
          { type: "input_text", text: "Fix it." },
        ],
      },
    ],
  },
  "mention, symbol": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          {
            type: "input_text",
            text: '<editor_context kind="ref">{"kind":"symbol","name":"parse"}</editor_context>',
          },
          { type: "input_text", text: "Explain." },
        ],
      },
    ],
  },
  "mention, other": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [{ role: "user", content: [{ type: "input_text", text: "And now?" }] }],
  },
  "editor-context": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Make it blue." },
          {
            type: "input_text",
            text: '<editor_context kind="selection" source="canvas">{"node":7,"name":"\\u003c/editor_context\\u003e"}</editor_context>',
          },
        ],
      },
    ],
  },
  "skill-content": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    tools: [
      {
        type: "function",
        name: "skill",
        description: "Load a skill.",
        parameters: { type: "object" },
        strict: false,
      },
    ],
    store: false,
    stream: true,
    input: [
      { role: "user", content: [{ type: "input_text", text: "Look at my change." }] },
      {
        type: "function_call",
        call_id: "GKR2O5bDW",
        name: "skill",
        arguments: '{"name":"review","arguments":"strict"}',
      },
      { type: "function_call_output", call_id: "GKR2O5bDW", output: "Read the diff twice." },
    ],
  },
  "tool result, image": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    tools: [
      {
        type: "function",
        name: "attach",
        description: "Show a file.",
        parameters: { type: "object" },
        strict: false,
      },
    ],
    store: false,
    stream: true,
    input: [
      { role: "user", content: [{ type: "input_text", text: "Look." }] },
      {
        type: "function_call",
        call_id: "11WpZzBfC",
        name: "attach",
        arguments: '{"path":"logo.png"}',
      },
      {
        type: "function_call_output",
        call_id: "11WpZzBfC",
        output: [
          { type: "input_text", text: "3 x 2" },
          {
            type: "input_image",
            detail: "auto",
            image_url:
              "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAAAAAAAAAAAAAElEQVQAAAAA",
          },
        ],
      },
      { role: "user", content: [{ type: "input_text", text: "Go on." }] },
    ],
  },
  "tool result, pdf": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    tools: [
      {
        type: "function",
        name: "attach",
        description: "Show a file.",
        parameters: { type: "object" },
        strict: false,
      },
    ],
    store: false,
    stream: true,
    input: [
      { role: "user", content: [{ type: "input_text", text: "Look." }] },
      {
        type: "function_call",
        call_id: "11WpZzBfC",
        name: "attach",
        arguments: '{"path":"a.pdf"}',
      },
      {
        type: "function_call_output",
        call_id: "11WpZzBfC",
        output: [
          { type: "input_text", text: "1 page" },
          {
            type: "input_file",
            filename: "a.pdf",
            file_data: "data:application/pdf;base64,JVBERi0xLjcK",
          },
        ],
      },
      { role: "user", content: [{ type: "input_text", text: "Go on." }] },
    ],
  },
  "tool result, wav": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    tools: [
      {
        type: "function",
        name: "attach",
        description: "Show a file.",
        parameters: { type: "object" },
        strict: false,
      },
    ],
    store: false,
    stream: true,
    input: [
      { role: "user", content: [{ type: "input_text", text: "Listen." }] },
      {
        type: "function_call",
        call_id: "11WpZzBfC",
        name: "attach",
        arguments: '{"path":"a.wav"}',
      },
      {
        type: "function_call_output",
        call_id: "11WpZzBfC",
        output:
          "1 second\n\n[audio: a.wav, audio/wav, 44 bytes. Not shown: the openai-responses API carries no audio.]",
      },
      { role: "user", content: [{ type: "input_text", text: "Go on." }] },
    ],
  },
  reasoning: {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      { role: "user", content: [{ type: "input_text", text: "Why?" }] },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "I wonder." }],
        encrypted_content: "ZW5j",
      },
      {
        type: "message",
        id: "msg_1",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: "Because. \n", annotations: [] }],
      },
      { role: "user", content: [{ type: "input_text", text: "I see." }] },
    ],
  },
  "unknown part": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Roses are red." },
          { type: "input_text", text: "[unsupported part: dance]" },
        ],
      },
    ],
  },
} satisfies Readonly<Record<RowName, ResponseCreateParamsStreaming>>

/** What a model that takes text alone is sent instead; the other rows are the same. */
const TEXT_ONLY = {
  ...VISION,
  "file-ref, image": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          {
            type: "input_text",
            text: "[file: logo.png, image/png, 45 bytes, 3x2 pixels. Not shown: the model does not take images. Use read_image on this path for its contents.]",
          },
        ],
      },
    ],
  },
  "attachment, image": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          {
            type: "input_text",
            text: "[attached file: a.png, image/png, 45 bytes, 3x2 pixels. Not shown: the model does not take images.]",
          },
          { type: "input_text", text: "Describe it." },
        ],
      },
    ],
  },
  "attachment, pdf": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    store: false,
    stream: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Sum up" },
          {
            type: "input_text",
            text: "[attached file: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
          },
        ],
      },
    ],
  },
  "tool result, image": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    tools: [
      {
        type: "function",
        name: "attach",
        description: "Show a file.",
        parameters: { type: "object" },
        strict: false,
      },
    ],
    store: false,
    stream: true,
    input: [
      { role: "user", content: [{ type: "input_text", text: "Look." }] },
      {
        type: "function_call",
        call_id: "11WpZzBfC",
        name: "attach",
        arguments: '{"path":"logo.png"}',
      },
      {
        type: "function_call_output",
        call_id: "11WpZzBfC",
        output:
          "3 x 2\n\n[image: logo.png, image/png, 45 bytes. Not shown: the model does not take images.]",
      },
      { role: "user", content: [{ type: "input_text", text: "Go on." }] },
    ],
  },
  "tool result, pdf": {
    model: "gpt-x",
    instructions: "Be kind.",
    max_output_tokens: 100,
    tools: [
      {
        type: "function",
        name: "attach",
        description: "Show a file.",
        parameters: { type: "object" },
        strict: false,
      },
    ],
    store: false,
    stream: true,
    input: [
      { role: "user", content: [{ type: "input_text", text: "Look." }] },
      {
        type: "function_call",
        call_id: "11WpZzBfC",
        name: "attach",
        arguments: '{"path":"a.pdf"}',
      },
      {
        type: "function_call_output",
        call_id: "11WpZzBfC",
        output:
          "1 page\n\n[document: a.pdf, application/pdf, 9 bytes. Not shown: the model does not take PDF documents.]",
      },
      { role: "user", content: [{ type: "input_text", text: "Go on." }] },
    ],
  },
} satisfies Readonly<Record<RowName, ResponseCreateParamsStreaming>>

export const BODIES = { vision: VISION, "text-only": TEXT_ONLY }
