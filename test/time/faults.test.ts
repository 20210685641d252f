import { checkFaults } from '../faults/catalogue.ts'

checkFaults(true)
