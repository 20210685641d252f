import type { Random } from '../../../src/extensions/sandbox/random.ts'
import { accidents } from './accidents.ts'
import { type Play, type Scene, goodAnswer } from './answers.ts'
import { oddAnswers } from './odd-answers.ts'
import { refusals, strangers } from './refusals.ts'

export type MishapName =
  | 'success'
  | keyof typeof accidents
  | keyof typeof oddAnswers
  | keyof typeof refusals
  | keyof typeof strangers

/** Something that happens to a request. */
export interface Mishap {
  readonly name: MishapName
  /** How often it is drawn, against the other mishaps. */
  readonly weight: number
  play(scene: Scene): Play
}

/** What matters only late in a walk is frequent. */
const weights: Partial<Record<MishapName, number>> = { 'same cursor': 4, 'no answer': 2 }

function list(group: Record<string, (scene: Scene) => Play>, weight: number): Mishap[] {
  return Object.entries(group).map(([name, play]) => ({
    name: name as MishapName,
    weight: weights[name as MishapName] ?? weight,
    play,
  }))
}

/** All but success. */
export const mishaps: readonly Mishap[] = [
  ...list(accidents, 4),
  ...list(refusals, 3),
  ...list(strangers, 2),
  ...list(oddAnswers, 1),
]

const success: Mishap = { name: 'success', weight: 1, play: goodAnswer }

/** The service does not accept the token any more. */
export const revoked: Mishap = { name: '401', weight: 1, play: refusals['401'] }

/** @param share The fraction of requests that meet with misfortune. */
export function drawMishap(random: Random, share: number): Mishap {
  if (!random.chance(share)) return success
  let left = random.next() * mishaps.reduce((sum, { weight }) => sum + weight, 0)
  return mishaps.find(({ weight }) => (left -= weight) < 0) ?? success
}
