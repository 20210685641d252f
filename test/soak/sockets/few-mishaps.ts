import type { Random } from '../../../src/extensions/sandbox/random.ts'
import { accidents } from '../misfortune/accidents.ts'
import { type Play, type Scene, goodAnswer, json } from '../misfortune/answers.ts'
import { oddAnswers } from '../misfortune/odd-answers.ts'
import { strangers } from '../misfortune/refusals.ts'

const refusal = (status: number, code: string, retryAfter?: number) => (): Play => {
  const body = JSON.stringify({ requestId: 'req_soak', error: { code, retryAfter } })
  return { charge: 0, isRefusal: true, answer: { status, headers: [json], body } }
}

/** How often something happens, in tenths of a percent. Nothing here takes the server or the client much time. */
const mishaps: readonly { weight: number; play(scene: Scene): Play }[] = [
  { weight: 949, play: goodAnswer },
  { weight: 5, play: refusal(429, 'rate_limited', 0) },
  // Closes the surface for a second.
  { weight: 1, play: refusal(429, 'rate_limited', 1) },
  { weight: 5, play: refusal(503, 'professionalnet_unavailable', 0) },
  { weight: 2, play: refusal(502, 'upstream_error') },
  { weight: 5, play: strangers['foreign 5xx'] },
  { weight: 5, play: accidents['reset before the charge'] },
  { weight: 5, play: accidents['reset after the charge'] },
  { weight: 5, play: accidents['cut body'] },
  { weight: 8, play: oddAnswers['html with 200'] },
  { weight: 8, play: oddAnswers['wrong shape'] },
  // The client's timeout ends it.
  { weight: 1, play: accidents['no answer'] },
]

export function drawFew(random: Random): (scene: Scene) => Play {
  return random.weighted(mishaps).play
}
