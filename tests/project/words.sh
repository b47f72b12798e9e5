# Words that the field calls otherwise do not come back: left what was said once, right what is said.
retired='HeldStage=LocalStage HeldArray=LocalArray held_part=local_part held_layers=local_layers
Courier=StageChannel TensorExchange=TensorCollectives HostExchange=MpiCollectives
Mailbox=MpiPointToPoint make_links=choose_backend exchange_slices=all_to_all_slices
StagesAlong=PipeView NetAlong=NetView SeenOptions=AugmentOptions
TrainingStep=GanStep Stepper=StepRunner StepEnvironment=Task LayerSeconds=LayerTimings
CutPrice=PartitionCost cut_nets=choose_stages TensorPlan=TensorSplit tensor_plan=tensor_split
tensor_part=local_net LayerCut=LayerSplit GanChanges=GanOverrides maker_of_input=producer_of_input
made_by=output_of Paper=DryRun Census=TableIndex misfit=violation CommOfNccl=NcclCommTraits
TrialOfNccl=NcclProbeTraits single_net=single_pass share_of=block_range NetOptions=ModelOptions
StepMinutes=StepReports minutes_of=reports_of StepFigures=StepValue Judged=LossFigures
judged_passes=loss_passes reversed_discriminator=reversed gan::through=gan::d_generate'

# said TREE: lines of code that say a retired word; texts in quotation marks may.
said() {
  local pair words=''
  for pair in $retired; do words+="|${pair%%=*}"; done
  grep -rnwE --include='*.[ch]pp' "${words:1}" "$1"/{src,include,preprocess,tests} 2>/dev/null |
    grep -vE "^[^:]*:[0-9]+:.*\"[^\"]*\b(${words:1})\b[^\"]*\"" || true
}

mkdir -p tree/src
echo 'class Courier {};' >tree/src/a.cpp
[ -n "$(said tree)" ] || fail 'a retired word is not found'
echo 'const char* text = "made_by";' >tree/src/a.cpp
[ -z "$(said tree)" ] || fail "a text is taken for a word: $(said tree)"

found=$(said "$ROOT")
[ -z "$found" ] || fail "retired words: $found"
